/* Shared memory that threads of all nodes write to while checkpoints are made is restored as it was at the cut: each thread
 * knows from its own memory which stamp each of its pages has, and looks at all of their words. Once more where userfaultfd is
 * not permitted, so that slices are copied during the cut. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %skein run -n 3 --transport tcp %t 20 | FileCheck %s --check-prefix=PLAIN
// RUN: rm -rf %t.folder && mkdir %t.folder
// RUN: %python %S/Inputs/shared_pages.py %skein %t %t.folder kept copied 2>&1 | FileCheck %s
// UNSUPPORTED: sanitized

// PLAIN: round 20: 6144 pages, 0 wrong words
// CHECK-LABEL: -- kept
// CHECK-NOT: while all nodes wait
// CHECK: status 0, output whole and once
// CHECK-LABEL: -- copied
// CHECK: {{shared memory is copied while all nodes wait for a checkpoint|not tried}}
// CHECK: status 0, output whole and once

#include <skein/shared.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { nodes_most = 4,
       pages = 2048,
       words = 512 }; /* a node */

static SKEIN_NODE_LOCAL skein_shared long *blocks[nodes_most]; /* of all nodes */
static SKEIN_NODE_LOCAL long stamps[nodes_most][pages];        /* what the pages have that this node writes */

static void know(skein_shared long *block, int owner) { blocks[owner] = block; }

static long look(int owner, int page) {
  skein_shared long *at = blocks[owner] + (long)page * words;
  const long stamp = stamps[owner][page];
  long wrong = 0;
  for (int i = 0; i < words; i++)
    wrong += at[i] != stamp * words + (stamp ? i : 0);
  return wrong;
}

static int64_t write_round(long round, int me, int nodes) {
  long wrong = 0;
  for (int k = 0; k < pages; k++) { /* each page once, in an order of the round */
    const int page = (int)((k * (8 * round + 5) + 77 * round) % pages);
    if (page % nodes != me)
      continue;
    for (int owner = 0; owner < nodes; owner++) {
      wrong += look(owner, page);
      skein_shared long *at = blocks[owner] + (long)page * words;
      const long stamp = stamps[owner][page] + round;
      for (int i = 0; i < words; i++)
        at[i] = stamp * words + i;
      stamps[owner][page] = stamp;
      skein_yield();
    }
  }
  for (int page = me; page < pages; page += nodes)
    for (int owner = 0; owner < nodes; owner++)
      wrong += look(owner, page);
  return wrong;
}

int main(int count, char **arguments) {
  const long rounds = count > 1 ? atol(arguments[1]) : 10;
  const int nodes = skein_nodes();
  struct skein_attributes there[nodes_most] = {0};
  for (int node = 0; node < nodes; node++)
    there[node] = (struct skein_attributes){.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
  for (int owner = 0; owner < nodes; owner++) {
    skein_shared long *block = skein_shared_alloc(owner, (size_t)pages * words * sizeof(long));
    for (int node = 0; node < nodes; node++)
      skein_join(skein_spawn_with(&there[node], know, block, owner));
  }
  for (long round = 1; round <= rounds; round++) {
    skein_thread_t threads[nodes_most];
    int64_t wrong = 0;
    for (int node = 0; node < nodes; node++)
      threads[node] = skein_spawn_with(&there[node], write_round, round, node, nodes);
    for (int node = 0; node < nodes; node++) {
      int64_t one = 1;
      skein_join_result(threads[node], &one);
      wrong += one;
    }
    skein_sleep_ns(10000000); /* the run takes long enough for two checkpoints, however fast the machine is */
    printf("round %ld: %d pages, %ld wrong words\n", round, nodes * pages, (long)wrong);
  }
  return 0;
}
