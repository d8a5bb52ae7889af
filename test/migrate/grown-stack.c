// A thread that has grown its stack arrives on another node with a stack that can grow further, and comes back. So does
// `main`.

// RUN: %skeincc -O2 -fskein-stacks=growable -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=grow_first=1K %run -n 3 --timeout 60 %t

// These runs have stacks of fixed size: once with the strategy in which a thread keeps its place, and once with a
// runtime that does not grow them.
// RUN: env SKEIN_OPTIONS=stacks=reserve,stack=4M %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=grow=off,stack=4M %run -n 2 --timeout 60 %t
// UNSUPPORTED: sanitized

#include "check.h"
#include <string.h>

struct link {
  struct link *up;
  int depth;
};

/* Every hundredth frame goes to another node, and each looks at all frames above it on the way back. */
static long dive(struct link *up, int depth, int bottom) {
  struct link here = {up, depth};
  char frame[200];
  memset(frame, depth, sizeof frame);
  if (depth % 100 == 0)
    CHECK(skein_push_self((depth / 100 + 1) % skein_nodes()) == SKEIN_OK);
  long sum = depth == bottom ? 0 : dive(&here, depth + 1, bottom);
  int seen = 0;
  for (struct link *at = &here; at && seen < 50; at = at->up, seen++)
    CHECK(at->depth == depth - seen);
  CHECK(frame[depth % 200] == (char)depth);
  return sum + here.depth;
}

static void diver(skein_shared long *result, int bottom) { *result = dive(NULL, 1, bottom); }

int main(void) {
  enum { count = 8 };
  skein_shared long *results = skein_shared_alloc(0, count * sizeof *results);
  skein_thread_t threads[count];
  for (int i = 0; i < count; i++)
    threads[i] = skein_spawn(diver, results + i, 250 * (i + 1));
  for (int i = 0; i < count; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  for (long i = 0; i < count; i++)
    CHECK(results[i] == 250 * (i + 1) * (250 * (i + 1) + 1) / 2);
  CHECK(dive(NULL, 1, 2000) == 2001000);
  return 0;
}
