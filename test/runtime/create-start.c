/* A thread that was created begins when it is started, once. Until then nothing takes, moves or ends it by accident,
 * and the program does not end without it. */

// RUN: %skeincc -I%S/../migrate/Inputs -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 timeout 20 %t
// RUN: env SKEIN_OPTIONS=workers=4 timeout 20 %t
// RUN: not env SKEIN_OPTIONS=workers=2 timeout 20 %t forgotten 2>&1 | FileCheck %s
// CHECK: deadlock: every thread waits
// CHECK-NEXT: thread {{[0-9]+}} waits for skein_start

#include "check.h"

#include <skein/bundle.h>
#include <skein/sync.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int ran;
static void run(int by) { atomic_fetch_add(&ran, by); }
static void where(unsigned worker) {
  CHECK(skein_worker() == worker);
  atomic_fetch_add(&ran, 1);
}

static void start(skein_thread_t thread, atomic_int *started) {
  if (skein_start(thread) == SKEIN_OK)
    atomic_fetch_add(started, 1);
}

int main(int argc, char **argv) {
  (void)argv;
  struct skein_attributes none = {0};
  skein_thread_t thread = skein_create(&none, run, 5);
  CHECK(thread != 0);
  if (argc > 1)
    return 0;
  for (int i = 0; i < 50; i++)
    skein_yield();
  CHECK(ran == 0);
  CHECK(skein_yield_to(thread) == SKEIN_ETHREAD && strstr(skein_error_text(), "created, but not started"));
  CHECK(skein_priority_set(thread, 3) == SKEIN_OK);
  CHECK(skein_start(thread) == SKEIN_OK);
  CHECK(skein_start(thread) == SKEIN_ETHREAD);
  CHECK(skein_join(thread) == SKEIN_OK && ran == 5);
  CHECK(skein_start(thread) == SKEIN_ETHREAD && strstr(skein_error_text(), "not on this node"));
  CHECK(skein_start(skein_self()) == SKEIN_ETHREAD && strstr(skein_error_text(), "is running"));

  /* Many threads start it at the same time, and exactly one does. */
  for (int round = 0; round < 200; round++) {
    static atomic_int started;
    started = 0;
    ran = 0;
    thread = skein_create(&none, run, 1);
    skein_thread_t starters[4];
    for (int i = 0; i < 4; i++)
      starters[i] = skein_spawn(start, thread, &started);
    for (int i = 0; i < 4; i++)
      CHECK(skein_join(starters[i]) == SKEIN_OK);
    CHECK(skein_join(thread) == SKEIN_OK && started == 1 && ran == 1);
  }

  /* The threads are bound to each worker in turn. */
  ran = 0;
  for (unsigned worker = 0; worker < skein_workers(); worker++) {
    struct skein_attributes bound = {.worker = SKEIN_ON((int)worker)};
    thread = skein_create(&bound, where, worker);
    CHECK(skein_start(thread) == SKEIN_OK && skein_join(thread) == SKEIN_OK);
  }
  CHECK(ran == (int)skein_workers());
  struct skein_attributes wrong = {.worker = SKEIN_ON((int)skein_workers())};
  CHECK(skein_create(&wrong, run, 1) == 0 && strstr(skein_error_text(), "skein_create: there is no worker"));

  /* A thread that is cancelled ends without having begun. Its bundle is in use until then. */
  struct skein_bundle *bundle = skein_bundle_create("brief", &skein_bundle_fifo, NULL);
  struct skein_attributes in_bundle = {.bundle = bundle};
  ran = 0;
  thread = skein_create(&in_bundle, run, 1);
  CHECK(skein_bundle_destroy(bundle) == SKEIN_ETHREAD);
  CHECK(skein_cancel(thread) == SKEIN_OK && skein_join(thread) == SKEIN_OK && ran == 0);
  CHECK(skein_bundle_destroy(bundle) == SKEIN_OK);
  return 0;
}
