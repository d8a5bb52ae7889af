/* How long it takes until a node has left its run that has many small threads: they only yield, and have nothing on
 * their stacks. Prints the seconds from the request until the node's process has nothing to do any more. The last node
 * leaves.
 *
 *     drained THREADS */
#include <skein/deaths.h>
#include <skein/nodes.h>
#include <skein/shared.h>
#include <skein/sync.h>

#include <stdio.h>
#include <stdlib.h>

#include "../now_ns.h"

struct world {
  long ready, over, ended, sum;
};

static void lives(skein_shared struct world *world, long number) {
  __atomic_fetch_add(&world->ready, 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&world->over, __ATOMIC_RELAXED))
    skein_yield();
  __atomic_fetch_add(&world->sum, number, __ATOMIC_RELAXED);
  __atomic_fetch_add(&world->ended, 1, __ATOMIC_RELAXED);
}

static void bears(skein_shared struct world *world, long threads) {
  for (long i = 0; i < threads; i++) {
    const skein_thread_t thread = skein_spawn(lives, world, i);
    if (!thread) {
      fprintf(stderr, "drained: thread %ld: %s\n", i, skein_error_text());
      exit(1);
    }
    skein_detach(thread);
  }
}

static void wait_for(skein_shared long *number, long until) {
  while (__atomic_load_n(number, __ATOMIC_RELAXED) < until)
    skein_sleep_ns(1000000);
}

int main(int count, char **arguments) {
  skein_main_stays(1);
  const long threads = count == 2 ? atol(arguments[1]) : 0;
  const int leaver = skein_nodes() - 1;
  if (threads < 1 || leaver < 1) {
    fprintf(stderr, "usage: skein run -n 2 drained THREADS\n");
    return 2;
  }
  skein_shared struct world *world = skein_shared_alloc(0, sizeof *world);
  const struct skein_attributes there = {.node = SKEIN_ON(leaver), .worker = SKEIN_ON(0)};
  if (!world || skein_join(skein_spawn_with(&there, bears, world, threads)))
    return 1;
  wait_for(&world->ready, threads);
  const double begin = now_ns();
  if (skein_nodes_request(leaver)) {
    fprintf(stderr, "drained: %s\n", skein_error_text());
    return 1;
  }
  while (!skein_node_has_left(leaver))
    skein_sleep_ns(1000000);
  const double took = now_ns() - begin;
  __atomic_store_n(&world->over, 1, __ATOMIC_RELAXED);
  wait_for(&world->ended, threads);
  if (world->sum != threads * (threads - 1) / 2) {
    fprintf(stderr, "drained: threads were lost\n");
    return 1;
  }
  printf("%.6f\n", took / 1e9);
  return 0;
}
