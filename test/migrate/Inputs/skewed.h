/* A skewed load: all threads begin on node 0, and take their time asleep, so that more nodes are faster however many
 * cores there are. Says how long it took without balancing and with it, and demands that it is worth it: the best of
 * each of some rounds, since the machine may do other things meanwhile. */
#include "check.h"
#include <skein/messages.h>
#include <stdatomic.h>

enum { load_threads = 64, load_steps = 3, load_step_us = 2000 };

static _Atomic int load_ran; /* each node's own */

static void load(void) {
  for (int i = 0; i < load_steps; i++) {
    usleep(load_step_us);
    skein_yield();
  }
  atomic_fetch_add(&load_ran, 1);
}

SKEIN_HANDLER(load_count, message) {
  int value = atomic_exchange(&load_ran, 0);
  skein_reply(message, &value, sizeof value);
}

static double run_load(int ran[]) {
  double begin = seconds();
  skein_thread_t threads[load_threads];
  int sum = 0;
  for (int i = 0; i < load_threads; i++)
    CHECK((threads[i] = skein_spawn(load)));
  for (int i = 0; i < load_threads; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  double took = seconds() - begin;
  for (int node = 0; node < skein_nodes(); node++) {
    CHECK(skein_call(node, &load_count, NULL, 0, &ran[node], sizeof ran[node], NULL) == SKEIN_OK);
    sum += ran[node];
  }
  CHECK(sum == load_threads);
  return took;
}

int main(void) {
  int ran[16];
  double alone = 1e9, balanced = 1e9;
  for (int round = 0; round < 5 && balanced >= 0.75 * alone; round++) {
    skein_stealing_set(0);
    CHECK(skein_quiesce() == SKEIN_OK); /* everybody has heard of it */
    double took = run_load(ran);
    CHECK(ran[0] == load_threads);
    alone = took < alone ? took : alone;
    skein_stealing_set(1);
    took = run_load(ran);
    balanced = took < balanced ? took : balanced;
  }
  printf("balanced: %d%% of the time; threads that ended on each node:", (int)(100 * balanced / alone));
  for (int node = 0; node < skein_nodes(); node++)
    printf(" %d", ran[node]);
  printf("\n");
  CHECK(balanced < 0.75 * alone);
  printf("it was worth it\n");
  return 0;
}
