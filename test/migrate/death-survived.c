/* deaths=survive: a node is killed while others use its memory and its objects. Threads that use them are told, the
 * others go on, and the run ends well, with main's status. Waiters on objects of other nodes are told what they can no
 * longer get: a party of a barrier may have been lost, or a mutex was held on the dead node. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive,shared=remote %python %S/Inputs/death.py --survive \
// RUN:   %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive,shared=remote %python %S/Inputs/death.py --survive \
// RUN:   %run -n 4 --timeout 30 --transport tcp %t 2>&1 | FileCheck %s
// CHECK-DAG: skein run: node 1 was killed by signal 9 (Killed)
// CHECK-DAG: skein[0]: node 1 was killed by signal 9 (Killed); the run goes on without it
// CHECK-DAG: of shared memory at 0x{{[0-9a-f]+}}: node 1 died; the thread ends here
// CHECK-DAG: join of the reader: 0, and it did not return
// CHECK-DAG: semaphore: 4: skein_semaphore_wait: node 1, where the object lives, died
// CHECK-DAG: lock: 4: skein_global_mutex_lock: thread 3, which held it, was lost with its node
// CHECK-DAG: lock again: 4: skein_global_mutex_lock: thread 3, which held it, was lost
// CHECK-DAG: barrier: 4: skein_global_barrier_wait: node 1 died, and nobody knows
// CHECK-DAG: pushed waiter: 4: a wait that began on another node: node 1 died
// CHECK-DAG: join of the holder: 4
// CHECK-DAG: allocation: 4: skein_shared_alloc: {{.*}}node 1
// CHECK-DAG: push: 4: skein_push_self: node 1 is dead
// CHECK-DAG: the others: all operations, and node 2 answers
// CHECK: status 0, nothing left

#include "check.h"
#include <skein/global.h>
#include <skein/sync.h>

struct state {
  skein_semaphore_t theirs, ours;
  skein_global_mutex_t mutex;
  skein_global_barrier_t barrier;
  int ready, reader_returned, stop;
  long operations;
};
typedef volatile skein_shared struct state state;

static void holder(state *s) {
  CHECK(skein_global_mutex_lock(s->mutex) == SKEIN_OK);
  CHECK(skein_push_self(1) == SKEIN_OK);
  __atomic_fetch_add(&s->ready, 1, __ATOMIC_SEQ_CST);
  for (;;)
    usleep(1000), skein_yield();
}

static void reader(state *s, volatile skein_shared long *there) {
  long sum = 0;
  __atomic_fetch_add(&s->ready, 1, __ATOMIC_SEQ_CST);
  for (;;)
    sum += *there; /* until its node dies, and this thread with it */
  s->reader_returned = 1 + (int)sum;
}

static void maker(state *s) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  s->theirs = skein_semaphore_create(0);
}

static void waits(state *s, int kind) {
  __atomic_fetch_add(&s->ready, 1, __ATOMIC_SEQ_CST);
  if (kind == 0) {
    int code = skein_semaphore_wait(s->theirs);
    printf("semaphore: %d: %s\n", code, skein_error_text());
  } else if (kind == 1) {
    int code = skein_global_mutex_lock(s->mutex);
    printf("lock: %d: %s\n", code, skein_error_text());
    code = skein_global_mutex_lock(s->mutex);
    printf("lock again: %d: %s\n", code, skein_error_text());
    CHECK(skein_global_mutex_trylock(s->mutex) == SKEIN_EDEAD);
  } else {
    int code = skein_global_barrier_wait(s->barrier);
    printf("barrier: %d: %s\n", code, skein_error_text());
  }
}

static void waits_pushed(state *s) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  __atomic_fetch_add(&s->ready, 1, __ATOMIC_SEQ_CST);
  int code = skein_semaphore_wait(s->ours);
  printf("pushed waiter: %d: %s\n", code, skein_error_text());
}

static void pusher(skein_thread_t waiter) {
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_sleep_ns(50000000) == SKEIN_OK); /* by now it waits, and is not only about to */
  int code;
  while ((code = skein_push(waiter, 2)) == SKEIN_ETHREAD)
    usleep(1000);
  CHECK(code == SKEIN_OK);
}

static void others(state *s, volatile skein_shared long *there) {
  while (!s->stop) {
    __atomic_fetch_add(there, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&s->operations, 1, __ATOMIC_SEQ_CST);
  }
}

int main(void) {
  skein_stealing_set(0);
  state *s = skein_shared_alloc(0, sizeof *s);
  s->ours = skein_semaphore_create(0);
  s->mutex = skein_global_mutex_create(0);
  s->barrier = skein_global_barrier_create(0, 2);
  CHECK(skein_join(skein_spawn(maker, s)) == SKEIN_OK);
  volatile skein_shared long *theirs = skein_shared_alloc(1, sizeof *theirs);
  volatile skein_shared long *second = skein_shared_alloc(2, sizeof *second);
  skein_thread_t hold = skein_spawn(holder, s);
  while (s->ready < 1)
    skein_yield();
  skein_thread_t read = skein_spawn(reader, s, theirs), three[3], pushed = skein_spawn(waits_pushed, s);
  for (int kind = 0; kind < 3; kind++)
    three[kind] = skein_spawn(waits, s, kind);
  while (s->ready < 6)
    skein_yield();
  CHECK(skein_join(skein_spawn(pusher, pushed)) == SKEIN_OK);
  skein_thread_t busy = skein_spawn(others, s, second);
  usleep(200000);
  printf("kill node 1 now\n");
  fflush(stdout);
  int code = skein_join(read);
  printf("join of the reader: %d, and it did%s return\n", code, s->reader_returned ? "" : " not");
  printf("join of the holder: %d\n", skein_join(hold));
  for (int kind = 0; kind < 3; kind++)
    CHECK(skein_join(three[kind]) == SKEIN_OK);
  CHECK(skein_join(pushed) == SKEIN_OK);
  volatile skein_shared void *none = skein_shared_alloc(1, 8);
  printf("allocation: %d: %s\n", none ? 0 : SKEIN_EDEAD, skein_error_text());
  code = skein_push_self(1);
  printf("push: %d: %s\n", code, skein_error_text());
  while (s->operations < 2000)
    skein_yield();
  s->stop = 1;
  CHECK(skein_join(busy) == SKEIN_OK);
  CHECK(*second == s->operations);
  CHECK(skein_push_self(2) == SKEIN_OK && skein_node() == 2);
  CHECK(skein_push_self(0) == SKEIN_OK);
  printf("the others: %s operations, and node 2 answers\n", s->operations >= 2000 ? "all" : "few");
  return 0;
}
