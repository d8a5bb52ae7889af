// skein_exit and skein_cancel unwind: destructors run, locks are given back, and the thread's name is gone afterwards.

// RUN: %skein++ -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %t
// RUN: env SKEIN_OPTIONS=workers=3 %t
// RUN: %skein++ -O1 -fskein-stress=calls %s -o %t.s
// RUN: env SKEIN_OPTIONS=workers=2 %t.s
// RUN: %skein++ -O2 -fskein-stacks=growable %s -o %t.g
// RUN: env SKEIN_OPTIONS=workers=2 %t.g

#include <cstdio>
#include <cstdlib>
#include <skein/sync.h>

#define CHECK(condition)                                                                               \
  do                                                                                                   \
    if (!(condition)) {                                                                                \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, skein_error_text()); \
      exit(1);                                                                                         \
    }                                                                                                  \
  while (0)

static skein_mutex_t lock;
static skein_condition_t never;
static skein_sem_t empty;
static skein_barrier_t half = SKEIN_BARRIER_INITIALIZER(2);
static skein_rwlock_t book;
static int destroyed, reached, begun;

struct Counted {
  int weight;
  explicit Counted(int weight) : weight(weight) {}
  ~Counted() { __atomic_add_fetch(&destroyed, weight, __ATOMIC_SEQ_CST); }
};
struct Locked {
  Locked() { skein_mutex_lock(&lock); }
  ~Locked() { CHECK(skein_mutex_unlock(&lock) == 0); }
};

static int deep(int depth, int how) {
  Counted here(1);
  if (depth)
    return deep(depth - 1, how) + 1;
  skein_exit(7);
}
static void exits(int depth) {
  try {
    deep(depth, 0);
  } catch (...) {
    __atomic_add_fetch(&destroyed, 100, __ATOMIC_SEQ_CST);
    throw;
  }
  reached++;
}

enum How { in_sleep,
           in_sem,
           in_condition,
           in_join,
           in_barrier,
           in_write,
           in_yield,
           in_mutex,
           ways };

static void waits(int how) {
  Counted here(1);
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  switch (how) {
  case in_sleep:
    skein_sleep_ns(UINT64_C(3600000000000));
    break;
  case in_sem:
    skein_sem_wait(&empty);
    break;
  case in_condition: {
    Locked guard; // its destructor unlocks: the mutex is locked again by then
    for (;;)
      skein_condition_wait(&never, &lock);
  }
  case in_join:
    skein_join(1);
    break;
  case in_barrier:
    skein_barrier_wait(&half);
    break;
  case in_write:
    skein_rwlock_write(&book);
    break;
  case in_yield:
    for (;;)
      skein_yield();
  case in_mutex:
    skein_mutex_lock(&lock);
    break;
  }
  reached++;
}

/* The thread holds a lock, and ends only after that. */
static void holds(int *past) {
  Counted here(1);
  skein_mutex_lock(&lock);
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  skein_sem_wait(&empty);
  ++*past;
  skein_mutex_unlock(&lock);
  skein_yield();
  reached++;
}

static void never_runs() { reached++; }

int main() {
  skein_join(skein_spawn(exits, 20));
  CHECK(destroyed == 121 && reached == 0);
  destroyed = 0;
  skein_rwlock_read(&book);
  for (int how = 0; how < ways; how++) {
    begun = destroyed = 0;
    if (how == in_mutex)
      skein_mutex_lock(&lock);
    skein_thread_t thread = skein_spawn(waits, how);
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
      skein_yield();
    if (how % 2)
      skein_sleep_ns(1000000); // by now it may be blocked, or not
    CHECK(skein_cancel(thread) == 0);
    CHECK(skein_join(thread) == 0);
    CHECK(destroyed == 1 && reached == 0);
    CHECK(skein_cancel(thread) == 0); // it has ended
    if (how == in_mutex)
      CHECK(skein_mutex_unlock(&lock) == 0);
    CHECK(skein_mutex_trylock(&lock) == 0 && skein_mutex_unlock(&lock) == 0);
  }
  CHECK(skein_rwlock_unlock(&book) == 0 && skein_rwlock_trywrite(&book) == 0 && skein_rwlock_unlock(&book) == 0);
  CHECK(skein_barrier_destroy(&half) == 0 && skein_sem_count(&empty) == 0);
  skein_barrier_init(&half, 2);

  begun = destroyed = 0;
  int *past = (int *)calloc(1, sizeof *past);
  skein_thread_t holder = skein_spawn(holds, past);
  while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
    skein_yield();
  CHECK(skein_cancel(holder) == 0);
  skein_sleep_ns(1000000);
  CHECK(destroyed == 0); // it still waits, with the lock held
  skein_sem_signal(&empty);
  CHECK(skein_join(holder) == 0);
  CHECK(*past == 1 && destroyed == 1 && reached == 0);
  free(past);

  skein_thread_t fresh = skein_spawn(never_runs);
  CHECK(skein_cancel(fresh) == 0); // on several workers it may have run by now
  CHECK(skein_join(fresh) == 0);
  CHECK(skein_cancel(987654) == SKEIN_ETHREAD);

  /* Threads are cancelled against whatever happens at the same time. */
  for (int round = 0; round < 300; round++) {
    skein_thread_t pair[2] = {skein_spawn(waits, round % 2 ? in_sem : in_barrier), skein_spawn(waits, in_condition)};
    if (round % 3)
      skein_yield();
    CHECK(skein_cancel(pair[0]) == 0);
    skein_condition_broadcast(&never);
    CHECK(skein_cancel(pair[1]) == 0);
    CHECK(skein_join(pair[0]) == 0 && skein_join(pair[1]) == 0);
  }
  CHECK(skein_sem_count(&empty) == 0 && skein_mutex_trylock(&lock) == 0);
  CHECK(skein_mutex_unlock(&lock) == 0);
  Counted last(1); // this is unwound, too
  skein_exit(0);
}
