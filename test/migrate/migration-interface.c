/* Pushing and stealing in full: several threads instead of one, by state, in batches, started and waited for (also on
 * another node), from several nodes at once, and with a time limit. Each node has one worker, so nothing runs
 * meanwhile. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,workers=1,stacks=relocate,image=any,net_delay_us=300 %run -n 3 --timeout 60 %t \
// RUN:   | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,workers=1,net_delay_us=400000 %run -n 2 --timeout 60 %t late \
// RUN:   | FileCheck --check-prefix=LATE %s
// CHECK: empty: skein_push_any: no thread is ready here that may move, and is wanted
// CHECK: nothing: skein_steal_any_from: node 1 has no thread that is ready and may move
// CHECK: nobody: skein_steal_any_from_start: there is no node 7
// CHECK: unknown: skein_push_any: no other node knows the bundle `only here`
// CHECK: not here: skein_push_start: thread 1234567 of node 3 is not on this node
// CHECK: all right
// LATE: late: skein_steal_any_from: no answer in the given time
// LATE: 5 came all the same

#include "check.h"
#include <skein/bundle.h>
#include <skein/messages.h>
#include <skein/migration.h>
#include <stdatomic.h>

static _Atomic int ran; /* each node's own */

static void note(void) { atomic_fetch_add(&ran, 1); }

SKEIN_HANDLER(count, message) {
  int value = atomic_exchange(&ran, 0);
  skein_reply(message, &value, sizeof value);
}

static int ran_on(int node) {
  int value = -1;
  CHECK(skein_call(node, &count, NULL, 0, &value, sizeof value, NULL) == SKEIN_OK);
  return value;
}

static void yielder(volatile skein_shared int *go) {
  while (!*go)
    skein_yield();
  atomic_fetch_add(&ran, 1);
}

static void spawn(int threads) {
  while (threads-- > 0)
    CHECK(skein_spawn(note));
}

/* main stays on its worker without yielding until all notes are where they should be. */
static void pushes(void) {
  unsigned moved = 77;
  struct skein_choice five = {.most = 5};
  spawn(8);
  CHECK(skein_push_any(&five, 1, &moved) == SKEIN_OK && moved <= 5 && moved > 0);
  CHECK(skein_quiesce() == SKEIN_OK);
  CHECK(ran_on(1) == (int)moved && ran_on(0) == 8 - (int)moved);
  CHECK(skein_push_any(NULL, 1, &moved) == SKEIN_EEMPTY && moved == 0);
  printf("empty: %s\n", skein_error_text());
}

static void by_state(volatile skein_shared int *go) {
  *go = 0;
  for (int i = 0; i < 4; i++)
    CHECK(skein_spawn(yielder, go));
  for (int i = 0; i < 40; i++)
    skein_yield(); /* all have begun, and are ready */
  spawn(6);
  struct skein_choice ready = {.states = SKEIN_READY, .most = 100};
  struct skein_choice fresh = {.states = SKEIN_INITIALISED, .most = 100};
  skein_pending_t started = skein_push_any_start(&ready, 1), initialised = skein_push_any_start(&fresh, 2);
  CHECK(started && initialised);
  *go = 1;
  unsigned count = 0;
  CHECK(skein_pending_wait_count(started, &count) == SKEIN_OK && count == 4);
  CHECK(skein_pending_wait_count(initialised, &count) == SKEIN_OK && count == 6);
  CHECK(skein_quiesce() == SKEIN_OK);
  CHECK(ran_on(0) == 0 && ran_on(1) == 4 && ran_on(2) == 6);
}

/* On another node threads are ready only as long as its worker is busy. */
struct order {
  int threads;
  volatile skein_shared int *release;
};

SKEIN_THREADED_HANDLER(make, message) {
  const struct order *order = message->data;
  spawn(order->threads);
  skein_reply(message, NULL, 0);
  while (!*order->release)
    usleep(500);
}

static void have_made(int node, int threads, volatile skein_shared int *release) {
  struct order order = {threads, release};
  *release = 0;
  CHECK(skein_call(node, &make, &order, sizeof order, NULL, 0, NULL) == SKEIN_OK);
}

static void steals(volatile skein_shared int *release) {
  unsigned moved = 0;
  struct skein_choice three = {.most = 3};
  have_made(1, 20, release);
  have_made(2, 5, release);
  CHECK(skein_steal_any_from(&three, 1, &moved) == SKEIN_OK && moved == 3);
  CHECK(skein_steal_any_from(NULL, 1, &moved) == SKEIN_OK && moved == 9); /* half of 17 */
  skein_pending_t one = skein_steal_any_from_start(&three, 1), any = skein_steal_any_start(&three);
  CHECK(one && any);
  unsigned from_one = 0, from_any = 0;
  CHECK(skein_pending_wait_count(one, &from_one) == SKEIN_OK && from_one == 3);
  CHECK(skein_pending_wait_count(any, &from_any) == SKEIN_OK && from_any > 0 && from_any <= 3);
  const int nodes[2] = {1, 2};
  struct skein_choice two = {.most = 2, .timeout_ms = 20000};
  skein_pending_t both = skein_prefetch_start(&two, nodes, 2);
  CHECK(both && skein_pending_wait_count(both, &moved) == SKEIN_OK && moved > 2);
  *release = 1;
  unsigned stolen = 3 + 9 + from_one + from_any + moved;
  CHECK(skein_quiesce() == SKEIN_OK);
  CHECK(ran_on(0) == (int)stolen && ran_on(1) + ran_on(2) == 25 - (int)stolen);
  CHECK(skein_steal_any_from(NULL, 1, &moved) == SKEIN_EEMPTY && moved == 0);
  printf("nothing: %s\n", skein_error_text());
  CHECK(skein_steal_any_from(NULL, -1, NULL) == SKEIN_ENODE);
  CHECK(!skein_prefetch_start(NULL, (const int[]){1, 0}, 2));
  CHECK(!skein_steal_any_from_start(NULL, 7));
  printf("nobody: %s\n", skein_error_text());
}

SKEIN_BUNDLE(flock, &skein_bundle_lifo)

static void by_bundle(void) {
  struct skein_attributes in_flock = {.bundle = flock()};
  for (int i = 0; i < 5; i++)
    CHECK(skein_spawn_with(&in_flock, note));
  spawn(7);
  unsigned moved = 0;
  struct skein_choice birds = {.bundle = flock(), .most = 100};
  skein_pending_t pushed = skein_push_any_start(&birds, 2);
  CHECK(pushed && skein_pending_wait_count(pushed, &moved) == SKEIN_OK && moved == 5);
  CHECK(skein_push_any(&birds, 2, NULL) == SKEIN_EEMPTY);
  CHECK(skein_steal_any_from(&birds, 1, NULL) == SKEIN_EEMPTY);
  CHECK(skein_quiesce() == SKEIN_OK);
  CHECK(ran_on(0) == 7 && ran_on(2) == 5);
  birds.bundle = skein_bundle_create("only here", &skein_bundle_fifo, NULL);
  CHECK(birds.bundle && skein_push_any(&birds, 1, NULL) == SKEIN_EREFUSED);
  printf("unknown: %s\n", skein_error_text());
  CHECK(!skein_steal_any_start(&birds));
}

static void one_by_one(void) {
  skein_pending_t pushed[10];
  for (int i = 0; i < 10; i++)
    CHECK((pushed[i] = skein_push_start(skein_spawn(note), 1 + i % 2)));
  CHECK(skein_push_self(2) == SKEIN_OK); /* and waits for them from there */
  for (int i = 0; i < 10; i++) {
    unsigned count = 0;
    CHECK(skein_pending_wait_count(pushed[i], &count) == SKEIN_OK && count == 1);
  }
  CHECK(skein_push_self(0) == SKEIN_OK);
  CHECK(skein_quiesce() == SKEIN_OK);
  CHECK(ran_on(1) == 5 && ran_on(2) == 5 && ran_on(0) == 0);
  skein_pending_t nobody = skein_push_start(3ull << 40 | 1234567, 1);
  CHECK(nobody && skein_pending_wait(nobody) == SKEIN_ETHREAD);
  printf("not here: %s\n", skein_error_text());
}

static void late(volatile skein_shared int *release) {
  unsigned moved = 77;
  struct skein_choice all = {.most = 5, .timeout_ms = 1};
  have_made(1, 5, release);
  int code = skein_steal_any_from(&all, 1, &moved);
  *release = 1;
  CHECK(code == SKEIN_ETIME && moved == 0);
  printf("late: %s\n", skein_error_text());
  CHECK(skein_quiesce() == SKEIN_OK);
  printf("%d came all the same\n", ran_on(0) + ran_on(1));
}

int main(int argc, char **argv) {
  (void)argv;
  volatile skein_shared int *flag = skein_shared_alloc(0, sizeof *flag);
  if (argc > 1) {
    late(flag);
    return 0;
  }
  pushes();
  by_state(flag);
  steals(flag);
  by_bundle();
  one_by_one();
  printf("all right\n");
  return 0;
}
