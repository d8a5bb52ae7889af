// Threads of a bundle that is asked only by name are left alone by thieves, and leave when they are pushed.
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t && %run -n 2 --timeout 30 %t | FileCheck %s
#include <skein/bundle.h>
#include <skein/deaths.h>
#include <skein/migration.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdatomic.h>
#include <stdio.h>

static struct skein_tcb *waiting;
static int count, open_for_all;
static atomic_flag locked = ATOMIC_FLAG_INIT;

SKEIN_NOMIGRATE static void lock(void) {
  while (atomic_flag_test_and_set(&locked))
    ;
}

SKEIN_NOMIGRATE static struct skein_tcb *take(void) {
  lock();
  struct skein_tcb *thread = waiting;
  if (thread) {
    waiting = thread->next;
    thread->next = NULL;
    count--;
  }
  atomic_flag_clear(&locked);
  return thread;
}

SKEIN_NOMIGRATE static void ready(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) {
  (void)bundle, (void)worker;
  lock();
  thread->next = waiting;
  waiting = thread;
  count++;
  atomic_flag_clear(&locked);
}
SKEIN_NOMIGRATE static struct skein_tcb *idle(struct skein_bundle *bundle, unsigned worker) {
  (void)bundle, (void)worker;
  return open_for_all || skein_node() == 1 ? take() : NULL;
}
SKEIN_NOMIGRATE static struct skein_tcb *outgoing(struct skein_bundle *bundle, enum skein_wanted wanted,
                                                  unsigned worker) {
  (void)bundle, (void)wanted, (void)worker;
  return take();
}

static const struct skein_bundle_events events = {
    .name = "asked", .thread_unblocked = ready, .processor_idle = idle, .outgoing = outgoing, .asked_only = 1};
SKEIN_BUNDLE(asked, &events)

static void work(int number) {
  printf("thread %d runs on node %d\n", number, skein_node());
  fflush(stdout);
}

static void thief(void) {
  unsigned moved = 9;
  const int code = skein_steal_any_from(NULL, 0, &moved);
  printf("a thief got %s, %u\n", skein_error_name(code), moved);
  fflush(stdout);
}

int main(void) {
  skein_main_stays(1); /* a thief could take it while it is ready */
  const struct skein_attributes ours = {.bundle = asked()}, there = {.node = SKEIN_ON(1), .worker = SKEIN_ON(0)};
  skein_thread_t threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = skein_spawn_with(&ours, work, i);
  skein_join(skein_spawn_with(&there, thief));
  skein_sleep_ns(20000000); /* idle workers of node 1 would steal meanwhile */
  printf("held: %d\n", count);
  unsigned moved = 0;
  const struct skein_choice two = {.most = 2, .bundle = asked()};
  printf("pushed: %d", skein_push_any(&two, 1, &moved));
  printf(", %u\n", moved);
  fflush(stdout);
  open_for_all = 1;
  skein_thread_t poke = skein_spawn_with(&ours, work, 3);
  for (int i = 0; i < 3; i++)
    skein_join(threads[i]);
  skein_join(poke);
  return 0;
}
// CHECK: a thief got SKEIN_EEMPTY, 0
// CHECK: held: 3
// CHECK-DAG: pushed: 0, 2
// CHECK-DAG: runs on node 1
// CHECK-DAG: runs on node 1
// CHECK-DAG: runs on node 0
