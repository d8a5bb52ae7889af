/* A group's members end on other nodes, and its parent moves while they run: the block is left when all have ended. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 30 %t
// RUN: %run -n 2 --timeout 30 %t

#include "check.h"

#include <skein/par.h>

enum { LEAVES = 40 };

static void leaf(int node, skein_shared int *ended) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  usleep(2000);
  *ended = 1;
}

/* There are more members than a group holds on the stack, from two nodes. */
static void family(int node, skein_shared int *ended) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  skein_par_t children = SKEIN_PAR_INITIALIZER;
  for (int i = 0; i < LEAVES; i++) {
    if (i == 25)
      CHECK(skein_push_self((node + 1) % skein_nodes()) == SKEIN_OK);
    CHECK(skein_par_spawn(children, leaf, i % skein_nodes(), ended + i));
  }
  CHECK(skein_push_self((node + 2) % skein_nodes()) == SKEIN_OK);
  CHECK(skein_par_join(&children) == SKEIN_OK);
  for (int i = 0; i < LEAVES; i++)
    CHECK(ended[i]);
}

int main(void) {
  const int nodes = skein_nodes();
  skein_shared int *ended = skein_shared_alloc(0, 3 * LEAVES * sizeof(int));
  SKEIN_PAR (families)
    for (int i = 0; i < nodes; i++)
      CHECK(skein_par_spawn(families, family, i, ended + i * LEAVES));
  for (int i = 0; i < nodes * LEAVES; i++)
    CHECK(ended[i]);
  return 0;
}
