/* All objects of <skein/sync.h> at work, under relocation stress: the stack moves before and after each call that may
 * block, so a lock on a stack moves while it is held, too. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %t
// RUN: env SKEIN_OPTIONS=workers=4 %t
// RUN: %skeincc -O0 -fskein-stress=calls %s -o %t.0
// RUN: env SKEIN_OPTIONS=workers=2 %t.0
// RUN: %skeincc -O2 -fskein-stress=calls -fskein-heap=private %s -o %t.2
// RUN: env SKEIN_OPTIONS=workers=3,stress_report=on %t.2 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3,stress_via=image %t.2
// RUN: %skeincc -O2 -fskein-stacks=growable %s -o %t.g
// RUN: env SKEIN_OPTIONS=workers=3 %t.g

// CHECK: stress: {{[1-9][0-9]+}} moves

#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                               \
  do                                                                                                   \
    if (!(condition)) {                                                                                \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, skein_error_text()); \
      exit(1);                                                                                         \
    }                                                                                                  \
  while (0)

enum { threads = 6,
       rounds = 60,
       slots = 3 };

static skein_mutex_t lock = SKEIN_MUTEX_INITIALIZER;
static skein_condition_t not_empty = SKEIN_CONDITION_INITIALIZER, not_full = SKEIN_CONDITION_INITIALIZER;
static int ring[slots], filled, in, out;
static long sum;

static void produce(int from) {
  for (int i = 0; i < rounds; i++) {
    int item = from * rounds + i;
    CHECK(skein_mutex_lock(&lock) == 0);
    while (filled == slots)
      CHECK(skein_condition_wait(&not_full, &lock) == 0);
    ring[in++ % slots] = item;
    filled++;
    CHECK(skein_condition_signal(&not_empty) == 0);
    CHECK(skein_mutex_unlock(&lock) == 0);
  }
}

static void consume(void) {
  for (int i = 0; i < rounds; i++) {
    CHECK(skein_mutex_lock(&lock) == 0);
    while (filled == 0)
      CHECK(skein_condition_wait(&not_empty, &lock) == 0);
    sum += ring[out++ % slots];
    filled--;
    CHECK(skein_mutex_unlock(&lock) == 0);
    CHECK(skein_condition_broadcast(&not_full) == 0);
  }
}

static skein_barrier_t meeting = SKEIN_BARRIER_INITIALIZER(threads);
static skein_rwlock_t book = SKEIN_RWLOCK_INITIALIZER;
static skein_spin_t spin = SKEIN_SPIN_INITIALIZER;
static skein_once_t once = SKEIN_ONCE_INITIALIZER;
static skein_future_t answer = SKEIN_FUTURE_INITIALIZER;
static skein_sem_t tickets = SKEIN_SEM_INITIALIZER(2);
static int pages[2], initialised, lasts, riders, spun;

static void initialise(void) {
  CHECK(skein_sleep_ns(1000000) == 0);
  initialised++;
}

/* A lock on the stack, passed down by address, moves with the thread that holds it. */
static int descend(skein_mutex_t *mine, int depth) {
  int *here = &depth;
  CHECK(skein_mutex_lock(mine) == 0);
  CHECK(skein_mutex_trylock(mine) == SKEIN_EBUSY);
  skein_yield();
  CHECK(skein_mutex_unlock(mine) == 0);
  return *here ? descend(mine, depth - 1) + 1 : 0;
}

static void visit(int number) {
  skein_mutex_t mine = SKEIN_MUTEX_INITIALIZER;
  skein_sem_t own = SKEIN_SEM_INITIALIZER(1);
  CHECK(descend(&mine, 5) == 5);
  CHECK(skein_sem_wait(&own) == 0);
  CHECK(skein_sem_timedwait_ns(&own, 100000) == SKEIN_ETIME);
  CHECK(skein_once(&once, initialise) == 0 && initialised == 1);
  for (int i = 0; i < rounds / 4; i++) {
    if (i % threads == number) {
      CHECK(skein_rwlock_write(&book) == 0);
      pages[0]++;
      skein_yield();
      pages[1]++;
    } else {
      CHECK(skein_rwlock_read(&book) == 0);
      CHECK(pages[0] == pages[1]);
    }
    CHECK(skein_rwlock_unlock(&book) == 0);
    CHECK(skein_spin_lock(&spin) == 0);
    spun++;
    CHECK(skein_spin_unlock(&spin) == 0);
    CHECK(skein_sem_wait(&tickets) == 0);
    int now = __atomic_add_fetch(&riders, 1, __ATOMIC_SEQ_CST);
    CHECK(now <= 2);
    skein_yield();
    __atomic_sub_fetch(&riders, 1, __ATOMIC_SEQ_CST);
    CHECK(skein_sem_signal(&tickets) == 0);
    int code = skein_barrier_wait(&meeting);
    CHECK(code == 0 || code == SKEIN_BARRIER_LAST);
    if (code == SKEIN_BARRIER_LAST)
      lasts++;
    CHECK(skein_barrier_wait(&meeting) >= SKEIN_BARRIER_LAST);
  }
  void *where = 0;
  if (number == 3)
    CHECK(skein_future_set_pointer(&answer, &spun) == 0);
  CHECK(skein_future_get_pointer(&answer, &where) == 0);
  CHECK(where == &spun);
}

int main(void) {
  skein_thread_t all[3 * threads];
  for (int i = 0; i < threads; i++) {
    all[i] = skein_spawn(produce, i);
    all[threads + i] = skein_spawn(consume);
    all[2 * threads + i] = skein_spawn(visit, i);
  }
  for (int i = 0; i < 3 * threads; i++)
    CHECK(skein_join(all[i]) == 0);
  long n = threads * rounds;
  CHECK(sum == n * (n - 1) / 2);
  CHECK(lasts == rounds / 4 && spun == threads * (rounds / 4) && skein_sem_count(&tickets) == 2);
  CHECK(skein_mutex_destroy(&lock) == 0 && skein_condition_destroy(&not_full) == 0);
  return 0;
}
