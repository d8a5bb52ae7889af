/* Memory of the process that has a name may be pointed at by threads that move: on the other node the pointers lead
   into the object of that name there. Without a name, or where there is no such object, the thread stays, and says why.
 */
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 %t | FileCheck %s
// RUN: %skeincc -O0 -fskein-heap=private %s -o %t.0 && env SKEIN_OPTIONS=steal=off %run -n 2 %t.0 | FileCheck %s
//
// Nobody would look for such pointers in memory that is left behind, so none is.
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,lazy_least=4K %run -n 2 %t.0 | FileCheck %s
//
// RUN: %skeincc -O1 -fskein-heap=private -fskein-stress=calls %s -o %t.s
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t.s | FileCheck %s
// CHECK: without a name: `{{.*}} holds a pointer to the process heap {{.*}}, which stays behind
// CHECK-NEXT: on node 1: local 1, on the heap 1, in a private variable 1, in an argument 1
// CHECK-NEXT: and on node 0: local 1, on the heap 1, in a private variable 1
// CHECK-NEXT: packed, and unpacked on node 1: 1
// CHECK-NEXT: of another size: node 1 refused the thread {{.*}}: it holds an address of the object 'odd' of its node
// CHECK-NEXT: two of a name: skein_node_object: another object is named 'table'
// CHECK-NEXT: an overlap: skein_node_object: 'part' overlaps another object that has a name
// CHECK-NEXT: of a stack: skein_node_object: 'stack' has to be memory of the process or on a private heap:
// CHECK-NEXT: forgotten: `{{.*}} holds a pointer to the process heap
// CHECK-NEXT: of another thread: `{{.*}} holds a pointer to private memory of another thread
// CHECK-NEXT: with a name: it left first, and read 7 on node 1
#include <skein/heap.h>
#include <skein/node_object.h>
#include <skein/pack.h>
#include <skein/private.h>
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { slots = 1000 };
struct table {
  int node;
  int count[slots];
};
struct box {
  int *place;
};
static SKEIN_PRIVATE int *kept;

/* Memory of the process, at another address on each node. */
static void *fresh(size_t bytes) {
  mmap(NULL, 4096 * (size_t)(1 + 3 * skein_node()), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void make(void) {
  struct table *table = fresh(sizeof *table);
  table->node = skein_node();
  if (skein_node_object("table", table, sizeof *table))
    puts(skein_error_text());
  if (skein_node_object("odd", fresh(4096), 4096 - 8 * (size_t)skein_node()))
    puts(skein_error_text());
}

static void unnamed(void) {
  int *place = fresh(4096);
  skein_push_self(1);
  printf("without a name: %s\n", strstr(skein_error_text(), "`"));
  *place = 1;
}

static int right(const int *place, const struct table *here, int slot) { return place == &here->count[slot]; }

static void travels(struct table *argument) {
  struct table *table = SKEIN_NODE_OBJECT(table);
  int *local = &table->count[7];
  struct box *box = malloc(sizeof *box);
  box->place = &table->count[11];
  kept = &table->count[13];
  if (skein_push_self(1))
    puts(skein_error_text());
  const struct table *here = SKEIN_NODE_OBJECT(table);
  printf("on node %d: local %d, on the heap %d, in a private variable %d, in an argument %d\n", skein_node(),
         right(local, here, 7), right(box->place, here, 11), right(kept, here, 13), argument == here);
  fflush(stdout);
  if (skein_push_self(0))
    puts(skein_error_text());
  here = SKEIN_NODE_OBJECT(table);
  printf("and on node %d: local %d, on the heap %d, in a private variable %d\n", skein_node(), right(local, here, 7),
         right(box->place, here, 11), right(kept, here, 13));
  free(box);
}

struct kept_image {
  size_t bytes;
  char image[4096];
};
static void packs(skein_shared struct kept_image *to) {
  struct table *table = SKEIN_NODE_OBJECT(table);
  int *place = &table->count[3];
  void *image;
  size_t bytes;
  const int side = skein_pack(skein_self(), &image, &bytes);
  if (side == SKEIN_OK && bytes <= sizeof to->image) {
    for (size_t i = 0; i < bytes; i++)
      to->image[i] = ((char *)image)[i];
    to->bytes = bytes;
    free(image);
  } else if (side == SKEIN_UNPACKED) {
    printf("packed, and unpacked on node %d: %d\n", skein_node(), right(place, SKEIN_NODE_OBJECT(table), 3));
    fflush(stdout);
  }
  ++*place;
}
static void unpacks(skein_shared struct kept_image *from) {
  char image[sizeof from->image] = {0};
  const size_t bytes = from->bytes;
  for (size_t i = 0; i < bytes; i++)
    image[i] = from->image[i];
  skein_thread_t copy;
  if (skein_unpack(image, bytes, &copy))
    puts(skein_error_text());
  else
    skein_join(copy);
}

static void odd(void) {
  char *place = SKEIN_NODE_OBJECT(odd);
  skein_push_self(1);
  printf("of another size: %.120s\n", strstr(skein_error_text(), "node 1"));
  place[0]++;
}
static void refused(void) {
  struct table *table = SKEIN_NODE_OBJECT(table);
  int on_stack[4];
  skein_node_object("table", fresh(4096), 4096);
  printf("two of a name: %s\n", skein_error_text());
  skein_node_object("part", table->count, 100);
  printf("an overlap: %s\n", skein_error_text());
  skein_node_object("stack", on_stack, sizeof on_stack);
  printf("of a stack: %s\n", skein_error_text());
  skein_node_object_forget("table");
  skein_push_self(1);
  printf("forgotten: %s\n", strstr(skein_error_text(), "`"));
  table->count[0]++;
}

/* Leaves before the thread whose block it is, and uses the block when that one has come, too. */
static void borrows(int *block, skein_semaphore_t here, skein_semaphore_t left) {
  skein_push_self(1);
  if (skein_node() == 0)
    printf("of another thread: %s\n", strstr(skein_error_text(), "`"));
  skein_semaphore_signal(left);
  skein_semaphore_wait(here);
  if (skein_node() == 1)
    printf("with a name: it left first, and read %d on node %d\n", *block, skein_node());
  fflush(stdout);
}
static void name_lent(uint64_t block) { skein_node_object("lent", (void *)block, 64); }
static void lends(void) {
  int *block = malloc(64);
  *block = 5;
  for (int named = 0; named < 2; named++) {
    if (named) {
      name_lent((uint64_t)block);
      skein_join(skein_spawn_with(&(struct skein_attributes){.node = SKEIN_ON(1)}, name_lent, (uint64_t)block));
    }
    const skein_semaphore_t here = skein_semaphore_create(0), left = skein_semaphore_create(0);
    const skein_thread_t thread = skein_spawn(borrows, block, here, left);
    skein_semaphore_wait(left);
    ++*block;
    if (named)
      skein_push_self(1);
    skein_semaphore_signal(here);
    skein_join(thread);
  }
}

int main(void) {
  const struct skein_attributes there = {.node = SKEIN_ON(1)};
  skein_join(skein_spawn(unnamed));
  make();
  skein_join(skein_spawn_with(&there, make));
  skein_join(skein_spawn(travels, (struct table *)SKEIN_NODE_OBJECT(table)));
  skein_shared struct kept_image *image = skein_shared_alloc(0, sizeof *image);
  skein_join(skein_spawn(packs, image));
  skein_join(skein_spawn_with(&there, unpacks, image));
  skein_join(skein_spawn(odd));
  skein_join(skein_spawn(refused));
  skein_join(skein_spawn(lends));
  return 0;
}
