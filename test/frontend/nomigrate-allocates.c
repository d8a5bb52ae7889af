// A function that does not migrate may allocate memory of a type: what the frontend notes for the private heap is no
// call. Its code is as ever.
// RUN: %skeincc -O2 -c %s -o %t
// RUN: %skeincc -O2 -fskein-heap=private -c %s -o %t
// RUN: not %skeincc -O2 -DBLOCKS -c %s -o %t 2>&1 | FileCheck %s
#include <skein/skein.h>
#include <stdlib.h>

struct node {
  struct node *next;
  long value;
};

void *of_unknown(size_t bytes);

SKEIN_NOMIGRATE struct node *made(struct node *next) {
  struct node *node = malloc(sizeof *node);
  if (!node)
    node = calloc(3, sizeof(struct node));
#ifdef BLOCKS
  skein_yield();
#endif
  node->next = next;
  return realloc(node, 2 * sizeof *node);
}
// CHECK: error: 'made' is SKEIN_NOMIGRATE but may reach a migration point: made ({{.*}}) calls skein_yield
