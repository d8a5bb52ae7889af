/* Threads that are spawned, or created and started, for a worker of another node run there and nowhere else. If the
 * other node does not have that worker, it refuses, and no thread is left. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2,steal=off %run -n 2 --timeout 30 %t
// RUN: env SKEIN_OPTIONS=workers=2,steal=off,net_delay_us=1000 %run -n 2 --timeout 30 %t

#include "check.h"

#include <skein/bundle.h>

static int there(int node, unsigned worker) {
  for (int i = 0; i < 20; i++) {
    CHECK(skein_node() == node && skein_worker() == worker);
    skein_yield();
  }
  return 1;
}
static int leaves(void) { /* moves by itself, and is then bound no more */
  CHECK(skein_node() == 1 && skein_worker() == 1);
  CHECK(skein_push_self(0) == SKEIN_OK && skein_push_self(1) == SKEIN_OK);
  return 1;
}
static int never(void) { exit(1); }

int main(void) {
  CHECK(skein_workers() == 2);
  int count = 0, one;
  for (int i = 0; i < 100; i++) {
    const int node = i & 1, worker = i >> 1 & 1;
    struct skein_attributes bound = {.node = SKEIN_ON(node), .worker = SKEIN_ON(worker)};
    skein_thread_t thread = i % 3 ? skein_spawn_with(&bound, there, node, (unsigned)worker)
                                  : skein_create(&bound, there, node, (unsigned)worker);
    CHECK(thread != 0);
    if (i % 3 == 0)
      CHECK(skein_start(thread) == SKEIN_OK);
    CHECK(skein_join_result(thread, &one) == SKEIN_OK);
    count += one;
  }
  CHECK(count == 100);
  struct skein_attributes bound = {.node = SKEIN_ON(1), .worker = SKEIN_ON(1)};
  CHECK(skein_join_result(skein_spawn_with(&bound, leaves), &one) == SKEIN_OK && one == 1);

  struct skein_statistics before, after;
  CHECK(skein_statistics_get(0, &before) == SKEIN_OK);
  struct skein_attributes wrong = {.node = SKEIN_ON(1), .worker = SKEIN_ON(2)};
  CHECK(skein_spawn_with(&wrong, never) == 0);
  CHECK(strstr(skein_error_text(), "skein_spawn_with: node 1 refused the thread (no worker): it is bound to worker 2, "
                                   "and this node has 0 to 1"));
  CHECK(skein_statistics_get(0, &after) == SKEIN_OK);
  CHECK(after.threads_spawned - before.threads_spawned == after.threads_ended - before.threads_ended);
  skein_thread_t thread = skein_create(&wrong, never);
  CHECK(thread != 0);
  CHECK(skein_start(thread) == SKEIN_ENODE && skein_start(thread) == SKEIN_ENODE); /* it can be tried again */
  CHECK(skein_push(thread, 1) == SKEIN_ETHREAD && strstr(skein_error_text(), "created, but not started"));
  CHECK(skein_cancel(thread) == SKEIN_OK && skein_join(thread) == SKEIN_OK);
  wrong = (struct skein_attributes){.node = SKEIN_ON(2)};
  CHECK(skein_create(&wrong, never) == 0 && strstr(skein_error_text(), "there is no node 2, only 0 to 1"));
  wrong = (struct skein_attributes){.worker = SKEIN_ON(2)};
  CHECK(skein_spawn_with(&wrong, never) == 0 &&
        strstr(skein_error_text(), "there is no worker 2 on node 0, only 0 to 1"));
  return 0;
}
