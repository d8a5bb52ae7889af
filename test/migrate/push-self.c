/* A thread in the middle of a recursion, with pointers up and down its stack, goes round all nodes and back. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: %run -n 3 --timeout 30 --transport tcp %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=reserve %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O0 -I%S/Inputs %s -o %t0
// RUN: %run -n 2 --timeout 30 %t0 | FileCheck %s
// CHECK: every node was visited 100 times

#include "check.h"

struct link {
  struct link *outer;
  int value;
};

/* The frames make a list through the stack; the innermost one moves and walks it. */
static int descend(struct link *outer, int depth, skein_shared int *visits) {
  struct link mine = {outer, depth};
  if (depth > 0) {
    int below = descend(&mine, depth - 1, visits);
    CHECK(mine.value == depth && mine.outer == outer);
    return below + mine.value;
  }
  int sum = 0;
  for (int hop = 0; hop < skein_nodes(); hop++) {
    int to = (skein_node() + 1) % skein_nodes();
    CHECK(skein_push_self(to) == SKEIN_OK);
    visits[skein_node()]++; /* one thread at a time is here: main joins each */
    for (struct link *at = &mine; at; at = at->outer)
      sum += at->value;
  }
  return sum;
}

static void traveller(skein_shared int *visits, skein_shared int *sum) { *sum = descend(NULL, 10, visits); }

int main(void) {
  skein_stealing_set(0);
  skein_shared int *visits = skein_shared_alloc(0, sizeof(int) * 64);
  skein_shared int *sum = skein_shared_alloc(skein_nodes() - 1, sizeof(int));
  for (int i = 0; i < 100; i++) {
    CHECK(skein_join(skein_spawn(traveller, visits, sum)) == SKEIN_OK);
    CHECK(*sum == 55 * skein_nodes() + 55);
  }
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(visits[node] == 100);
  CHECK(skein_push_self(0) == SKEIN_OK); /* where it is already */
  CHECK(skein_push_self(skein_nodes()) == SKEIN_ENODE);
  CHECK(skein_push_self(-1) == SKEIN_ENODE);
  printf("every node was visited 100 times\n");
  return 0;
}
