// The objects of <skein/sync.h>, on one worker (where the order of events is known) and on several (where it is not).
#include "../in_scheduler.h"
#include "os/linux/futex.h"
#include "sched/timers.h"
#include "sync/hold_reports.h"

#include <gtest/gtest.h>
#include <skein/sync.h>
#include <string>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

constexpr unsigned several = 4;
constexpr uint64_t ms = 1000000;

std::vector<uint64_t> started;

template <class... P> void start(void (*function)(P...), std::type_identity_t<P>... arguments) {
  started.push_back(spawn(function, arguments...));
}
void join_all() {
  for (uint64_t id : started)
    EXPECT_EQ(skein_join(id), SKEIN_OK);
  started.clear();
}
void yield(int times) {
  for (int i = 0; i < times; i++)
    skein_yield();
}
bool said(const char *what) { return std::string(skein_error_text()).find(what) != std::string::npos; }
bool holds_nothing() { return !holds_any(*thread_current()); }

skein_mutex_t mutex;
skein_spin_t spin;
skein_sem_t sem;
skein_rwlock_t rwlock;
skein_condition_t condition;
skein_barrier_t barrier;
skein_once_t once;
skein_future_t future;
std::string order;
long counter;

struct Sync : testing::Test {
  void SetUp() override {
    mutex = SKEIN_MUTEX_INITIALIZER;
    spin = SKEIN_SPIN_INITIALIZER;
    sem = SKEIN_SEM_INITIALIZER(0);
    rwlock = SKEIN_RWLOCK_INITIALIZER;
    condition = SKEIN_CONDITION_INITIALIZER;
    barrier = SKEIN_BARRIER_INITIALIZER(0);
    once = SKEIN_ONCE_INITIALIZER;
    future = SKEIN_FUTURE_INITIALIZER;
    order.clear();
    counter = 0;
  }
};

// --- mutex -----------------------------------------------------------------------------------------------------------

TEST_F(Sync, MutexExcludes) {
  for (unsigned workers : {1u, several}) {
    counter = 0;
    in_scheduler(workers, [] {
      for (int i = 0; i < 20; i++)
        start(+[] {
          for (int k = 0; k < 2000; k++) {
            EXPECT_EQ(skein_mutex_lock(&mutex), SKEIN_OK);
            long before = counter;
            if (k % 16 == 0)
              skein_yield();
            counter = before + 1;
            EXPECT_EQ(skein_mutex_unlock(&mutex), SKEIN_OK);
          }
          EXPECT_TRUE(holds_nothing());
        });
      join_all();
    });
    EXPECT_EQ(counter, 40000);
    EXPECT_EQ(mutex.word_, 0u);
    EXPECT_EQ(mutex.waiters_, nullptr);
  }
}

TEST_F(Sync, MutexGoesToTheFirstWhoWaits) {
  in_scheduler(1, [] {
    skein_mutex_lock(&mutex);
    for (int i = 0; i < 4; i++) {
      start(
          +[](int i) {
            skein_mutex_lock(&mutex);
            order += static_cast<char>('a' + i);
            skein_mutex_unlock(&mutex);
          },
          i);
      yield(2); // each waits before the next one begins
    }
    yield(10);
    skein_mutex_unlock(&mutex);
    EXPECT_EQ(skein_mutex_trylock(&mutex), SKEIN_EBUSY); // it was handed over, and is not free
    skein_mutex_lock(&mutex);                            // queues behind the others
    EXPECT_EQ(order, "abcd");
    skein_mutex_unlock(&mutex);
    join_all();
  });
}

TEST_F(Sync, MutexMisuseIsNamed) {
  in_scheduler(1, [] {
    EXPECT_EQ(skein_mutex_unlock(&mutex), SKEIN_ELOCK);
    EXPECT_TRUE(said("is not locked"));
    EXPECT_TRUE(said("mutexE`")) << skein_error_text(); // the name is in an unnamed namespace
    skein_mutex_lock(&mutex);
    EXPECT_EQ(skein_mutex_trylock(&mutex), SKEIN_EBUSY);
    EXPECT_EQ(skein_mutex_lock(&mutex), SKEIN_ELOCK);
    EXPECT_TRUE(said("holds the mutex `")) << skein_error_text();
    EXPECT_TRUE(said("already, since"));
    EXPECT_EQ(skein_mutex_timedlock_ns(&mutex, ms), SKEIN_ELOCK);
    EXPECT_EQ(skein_mutex_destroy(&mutex), SKEIN_EBUSY);
    EXPECT_TRUE(said("is held by thread 1"));
    start(+[] {
      EXPECT_EQ(skein_mutex_unlock(&mutex), SKEIN_ELOCK);
      EXPECT_TRUE(said("does not hold it: thread 1 took it in"));
      skein_mutex_lock(&mutex);
      skein_mutex_unlock(&mutex);
    });
    yield(3);
    EXPECT_EQ(skein_mutex_destroy(&mutex), SKEIN_EBUSY);
    EXPECT_TRUE(said("others wait for it"));
    EXPECT_EQ(skein_mutex_unlock(&mutex), SKEIN_OK);
    join_all();
    EXPECT_EQ(skein_mutex_destroy(&mutex), SKEIN_OK);
  });
}

TEST_F(Sync, MutexOfAThreadThatEnded) {
  in_scheduler(1, [] {
    start(+[] { skein_mutex_lock(&mutex); });
    testing::internal::CaptureStderr();
    join_all();
    EXPECT_EQ(skein_mutex_lock(&mutex), SKEIN_EDEAD);
    EXPECT_TRUE(said("has ended without unlocking it"));
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_NE(told.find("ended while it held the mutex `"), std::string::npos) << told;
  });
}

TEST_F(Sync, MutexTimedLock) {
  for (unsigned workers : {1u, several})
    in_scheduler(workers, [] {
      skein_mutex_lock(&mutex);
      start(+[] {
        uint64_t begin = clock_ns();
        EXPECT_EQ(skein_mutex_timedlock_ns(&mutex, 5 * ms), SKEIN_ETIME);
        EXPECT_TRUE(said("skein_mutex_timedlock_ns: the time is over"));
        EXPECT_GE(clock_ns() - begin, 5 * ms);
        EXPECT_TRUE(holds_nothing());
        EXPECT_EQ(skein_mutex_timedlock_ns(&mutex, 10000 * ms), SKEIN_OK);
        EXPECT_EQ(skein_mutex_unlock(&mutex), SKEIN_OK);
      });
      skein_sleep_ns(20 * ms);
      EXPECT_EQ(mutex.word_ & 1, 1u);
      skein_mutex_unlock(&mutex);
      join_all();
      EXPECT_FALSE(timers_pending());
      EXPECT_EQ(mutex.word_, 0u);
    });
}

TEST_F(Sync, MutexManyHeldAtOnce) {
  in_scheduler(1, [] {
    skein_mutex_t many[2 * holds_inline] = {};
    for (auto &each : many)
      EXPECT_EQ(skein_mutex_lock(&each), SKEIN_OK);
    char text[200];
    EXPECT_TRUE(holds_refuse(*thread_current(), text, sizeof text));
    for (int i : {3, 0, 7, 1, 5, 2, 6, 4}) // any order
      EXPECT_EQ(skein_mutex_unlock(&many[i]), SKEIN_OK);
    EXPECT_TRUE(holds_nothing());
    EXPECT_FALSE(holds_refuse(*thread_current(), text, sizeof text));
  });
}

// --- spin lock -------------------------------------------------------------------------------------------------------

TEST_F(Sync, SpinExcludes) {
  for (unsigned workers : {1u, several}) {
    counter = 0;
    in_scheduler(workers, [] {
      for (int i = 0; i < 10; i++)
        start(+[] {
          for (int k = 0; k < 2000; k++) {
            EXPECT_EQ(skein_spin_lock(&spin), SKEIN_OK);
            long before = counter;
            if (k % 100 == 0)
              skein_yield(); // bad style, but no deadlock
            counter = before + 1;
            EXPECT_EQ(skein_spin_unlock(&spin), SKEIN_OK);
          }
        });
      join_all();
      EXPECT_EQ(skein_spin_unlock(&spin), SKEIN_ELOCK);
      EXPECT_EQ(skein_spin_trylock(&spin), SKEIN_OK);
      EXPECT_EQ(skein_spin_trylock(&spin), SKEIN_EBUSY);
      EXPECT_EQ(skein_spin_lock(&spin), SKEIN_ELOCK);
      EXPECT_TRUE(said("holds the spin lock `"));
      EXPECT_EQ(skein_spin_unlock(&spin), SKEIN_OK);
      EXPECT_TRUE(holds_nothing());
    });
    EXPECT_EQ(counter, 20000);
  }
}

// --- semaphore -------------------------------------------------------------------------------------------------------

TEST_F(Sync, SemaphoreCounts) {
  in_scheduler(1, [] {
    skein_sem_init(&sem, 2);
    EXPECT_EQ(skein_sem_count(&sem), 2);
    EXPECT_EQ(skein_sem_wait(&sem), SKEIN_OK);
    EXPECT_EQ(skein_sem_trywait(&sem), SKEIN_OK);
    EXPECT_EQ(skein_sem_trywait(&sem), SKEIN_EBUSY);
    EXPECT_EQ(skein_sem_count(&sem), 0);
    for (int i = 0; i < 5; i++) {
      start(
          +[](int i) {
            EXPECT_EQ(skein_sem_wait(&sem), SKEIN_OK);
            order += static_cast<char>('a' + i);
          },
          i);
      yield(2); // each waits before the next one begins
    }
    yield(10);
    EXPECT_EQ(skein_sem_count(&sem), -5);
    EXPECT_EQ(skein_sem_destroy(&sem), SKEIN_EBUSY);
    EXPECT_TRUE(said("5 threads wait for the semaphore `"));
    EXPECT_EQ(skein_sem_trywait(&sem), SKEIN_EBUSY);
    skein_sem_signal(&sem);
    skein_sem_signal_n(&sem, 2);
    EXPECT_EQ(skein_sem_count(&sem), -2);
    yield(10);
    EXPECT_EQ(order, "abc");
    skein_sem_signal_all(&sem);
    EXPECT_EQ(skein_sem_count(&sem), 0);
    join_all();
    EXPECT_EQ(order, "abcde");
    skein_sem_signal_all(&sem);
    EXPECT_EQ(skein_sem_count(&sem), 0);
    skein_sem_signal_n(&sem, 7);
    EXPECT_EQ(skein_sem_count(&sem), 7);
    EXPECT_EQ(skein_sem_destroy(&sem), SKEIN_OK);
  });
}

TEST_F(Sync, SemaphoreSignalNGivesTheRestToTheCount) {
  in_scheduler(1, [] {
    for (int i = 0; i < 3; i++)
      start(+[] { skein_sem_wait(&sem); });
    yield(5);
    skein_sem_signal_n(&sem, 10);
    EXPECT_EQ(skein_sem_count(&sem), 7);
    join_all();
  });
}

TEST_F(Sync, SemaphoreTimedWait) {
  for (unsigned workers : {1u, several})
    in_scheduler(workers, [] {
      skein_sem_init(&sem, 0);
      for (int i = 0; i < 50; i++)
        start(
            +[](int i) {
              EXPECT_EQ(skein_sem_timedwait_ns(&sem, i % 2 ? 3 * ms : 20000 * ms), i % 2 ? SKEIN_ETIME : SKEIN_OK);
            },
            i);
      skein_sleep_ns(30 * ms);
      EXPECT_EQ(skein_sem_count(&sem), -25);
      skein_sem_signal_n(&sem, 25);
      join_all();
      EXPECT_EQ(skein_sem_count(&sem), 0);
      EXPECT_FALSE(timers_pending());
    });
}

/// Deadlines and signals come at the same moment: each signal must be taken by exactly one thread, or counted.
TEST_F(Sync, SemaphoreDeadlineAgainstSignal) {
  static std::atomic<long> got, late;
  got = late = 0;
  in_scheduler(several, [] {
    constexpr int rounds = 300, waiters = 8;
    skein_sem_init(&sem, 0);
    for (int i = 0; i < waiters; i++)
      start(+[] {
        for (int k = 0; k < rounds; k++)
          (skein_sem_timedwait_ns(&sem, 20000 + static_cast<uint64_t>(k) * 50) == SKEIN_OK ? got : late)++;
      });
    long given = 0;
    for (int k = 0; k < rounds * waiters / 2; k++, given++) {
      skein_sem_signal(&sem);
      skein_sleep_ns(5000);
    }
    join_all();
    EXPECT_EQ(got + late, rounds * waiters);
    EXPECT_EQ(got + skein_sem_count(&sem), given);
    EXPECT_EQ(sem.waiters_, nullptr);
  });
}

// --- reader/writer lock ----------------------------------------------------------------------------------------------

TEST_F(Sync, ReadersShareWritersDoNot) {
  static std::atomic<int> reading, writing;
  for (unsigned workers : {1u, several}) {
    reading = writing = 0;
    counter = 0;
    in_scheduler(workers, [] {
      for (int i = 0; i < 16; i++)
        start(
            +[](int i) {
              for (int k = 0; k < 500; k++) {
                if (i % 4 == 0) {
                  EXPECT_EQ(skein_rwlock_write(&rwlock), SKEIN_OK);
                  EXPECT_EQ(++writing, 1);
                  EXPECT_EQ(reading, 0);
                  counter++;
                  if (k % 8 == 0)
                    skein_yield();
                  --writing;
                } else {
                  EXPECT_EQ(skein_rwlock_read(&rwlock), SKEIN_OK);
                  ++reading;
                  EXPECT_EQ(writing, 0);
                  if (k % 8 == 0)
                    skein_yield();
                  --reading;
                }
                EXPECT_EQ(skein_rwlock_unlock(&rwlock), SKEIN_OK);
              }
              EXPECT_TRUE(holds_nothing());
            },
            i);
      join_all();
    });
    EXPECT_EQ(counter, 2000);
    EXPECT_EQ(rwlock.word_, 0u);
  }
}

TEST_F(Sync, ReadersDoNotOvertakeAWriter) {
  in_scheduler(1, [] {
    skein_rwlock_read(&rwlock);
    const auto reader = +[](int name) {
      skein_rwlock_read(&rwlock);
      order += static_cast<char>(name);
      skein_rwlock_unlock(&rwlock);
    };
    const auto writer = +[](int name) {
      skein_rwlock_write(&rwlock);
      order += static_cast<char>(name);
      skein_rwlock_unlock(&rwlock);
    };
    start(writer, 'W');
    yield(3);
    start(reader, 'a');
    yield(3);
    start(reader, 'b');
    yield(3);
    EXPECT_EQ(order, "");
    EXPECT_EQ(skein_rwlock_tryread(&rwlock), SKEIN_EBUSY);
    EXPECT_EQ(skein_rwlock_trywrite(&rwlock), SKEIN_EBUSY);
    EXPECT_EQ(skein_rwlock_read(&rwlock), SKEIN_OK); // a thread that reads already may do so again
    skein_rwlock_unlock(&rwlock);
    skein_rwlock_unlock(&rwlock);
    join_all();
    EXPECT_EQ(order, "Wab");
  });
}

TEST_F(Sync, AWriterThatGivesUpLetsReadersIn) {
  in_scheduler(1, [] {
    skein_rwlock_read(&rwlock);
    start(+[] { EXPECT_EQ(skein_rwlock_timedwrite_ns(&rwlock, 5 * ms), SKEIN_ETIME); });
    yield(3);
    start(+[] {
      EXPECT_EQ(skein_rwlock_read(&rwlock), SKEIN_OK);
      order += "r";
      skein_rwlock_unlock(&rwlock);
    });
    yield(3);
    EXPECT_EQ(order, "");
    skein_sleep_ns(20 * ms);
    EXPECT_EQ(order, "r");
    skein_rwlock_unlock(&rwlock);
    join_all();
    EXPECT_EQ(rwlock.word_, 0u);
    skein_rwlock_write(&rwlock);
    start(+[] { EXPECT_EQ(skein_rwlock_timedread_ns(&rwlock, 2 * ms), SKEIN_ETIME); });
    join_all();
    skein_rwlock_unlock(&rwlock);
    EXPECT_EQ(rwlock.word_, 0u);
  });
}

TEST_F(Sync, RwlockMisuseIsNamed) {
  in_scheduler(1, [] {
    EXPECT_EQ(skein_rwlock_unlock(&rwlock), SKEIN_ELOCK);
    EXPECT_TRUE(said("does not hold it"));
    skein_rwlock_read(&rwlock);
    EXPECT_EQ(skein_rwlock_write(&rwlock), SKEIN_ELOCK);
    EXPECT_TRUE(said("would wait for itself"));
    EXPECT_EQ(skein_rwlock_destroy(&rwlock), SKEIN_EBUSY);
    start(+[] { EXPECT_EQ(skein_rwlock_unlock(&rwlock), SKEIN_ELOCK); });
    join_all();
    skein_rwlock_unlock(&rwlock);
    skein_rwlock_write(&rwlock);
    EXPECT_EQ(skein_rwlock_read(&rwlock), SKEIN_ELOCK);
    EXPECT_EQ(skein_rwlock_write(&rwlock), SKEIN_ELOCK);
    start(+[] { EXPECT_EQ(skein_rwlock_unlock(&rwlock), SKEIN_ELOCK); });
    join_all();
    EXPECT_EQ(skein_rwlock_unlock(&rwlock), SKEIN_OK);
    EXPECT_EQ(skein_rwlock_destroy(&rwlock), SKEIN_OK);
  });
}

// --- condition -------------------------------------------------------------------------------------------------------

TEST_F(Sync, ConditionQueue) {
  static int full, taken;
  for (unsigned workers : {1u, several}) {
    full = taken = 0;
    in_scheduler(workers, [] {
      constexpr int each = 500, pairs = 4;
      static skein_condition_t not_full, not_empty;
      not_full = not_empty = SKEIN_CONDITION_INITIALIZER;
      for (int i = 0; i < pairs; i++) {
        start(+[] {
          for (int k = 0; k < each; k++) {
            skein_mutex_lock(&mutex);
            while (full == 3)
              EXPECT_EQ(skein_condition_wait(&not_full, &mutex), SKEIN_OK);
            full++;
            skein_condition_signal(&not_empty);
            skein_mutex_unlock(&mutex);
          }
        });
        start(+[] {
          for (int k = 0; k < each; k++) {
            skein_mutex_lock(&mutex);
            while (full == 0)
              EXPECT_EQ(skein_condition_wait(&not_empty, &mutex), SKEIN_OK);
            full--;
            taken++;
            skein_mutex_unlock(&mutex);
            skein_condition_signal(&not_full);
          }
          EXPECT_TRUE(holds_nothing());
        });
      }
      join_all();
      EXPECT_EQ(taken, each * pairs);
    });
  }
}

TEST_F(Sync, ConditionWakesInOrderWithTheMutexLocked) {
  in_scheduler(1, [] {
    for (int i = 0; i < 4; i++) {
      start(
          +[](int i) {
            skein_mutex_lock(&mutex);
            skein_condition_wait(&condition, &mutex);
            EXPECT_EQ(mutex.word_ >> 1, skein_self());
            order += static_cast<char>('a' + i);
            skein_yield();
            skein_mutex_unlock(&mutex);
          },
          i);
      yield(2); // each waits before the next one begins
    }
    yield(6);
    EXPECT_EQ(skein_condition_destroy(&condition), SKEIN_EBUSY);
    skein_condition_signal(&condition);
    yield(6);
    EXPECT_EQ(order, "a");
    skein_mutex_lock(&mutex);
    skein_condition_broadcast(&condition);
    yield(6);
    EXPECT_EQ(order, "a"); // they queue for the mutex
    skein_mutex_unlock(&mutex);
    join_all();
    EXPECT_EQ(order, "abcd");
    EXPECT_EQ(skein_condition_destroy(&condition), SKEIN_OK);
    EXPECT_EQ(skein_condition_wait(&condition, &mutex), SKEIN_ELOCK);
    EXPECT_TRUE(said("does not hold the mutex `"));
  });
}

TEST_F(Sync, ConditionTimedWaitHasTheMutexAgain) {
  for (unsigned workers : {1u, several})
    in_scheduler(workers, [] {
      for (int i = 0; i < 8; i++)
        start(+[] {
          skein_mutex_lock(&mutex);
          EXPECT_EQ(skein_condition_timedwait_ns(&condition, &mutex, 3 * ms), SKEIN_ETIME);
          EXPECT_EQ(mutex.word_ >> 1, skein_self());
          skein_sleep_ns(ms / 2); // the others' deadlines are over, and they queue
          EXPECT_EQ(skein_mutex_unlock(&mutex), SKEIN_OK);
          EXPECT_TRUE(holds_nothing());
        });
      join_all();
      EXPECT_EQ(mutex.word_, 0u);
    });
}

// --- barrier, once, future -------------------------------------------------------------------------------------------

TEST_F(Sync, BarrierAgainAndAgain) {
  static std::atomic<int> lasts, rounds[50];
  for (unsigned workers : {1u, several}) {
    lasts = 0;
    for (auto &round : rounds)
      round = 0;
    in_scheduler(workers, [] {
      skein_barrier_init(&barrier, 7);
      for (int i = 0; i < 7; i++)
        start(+[] {
          for (int k = 0; k < 50; k++) {
            rounds[k]++;
            int result = skein_barrier_wait(&barrier);
            EXPECT_EQ(rounds[k], 7);
            EXPECT_TRUE(result == 0 || result == SKEIN_BARRIER_LAST);
            lasts += result == SKEIN_BARRIER_LAST;
          }
        });
      join_all();
      EXPECT_EQ(skein_barrier_destroy(&barrier), SKEIN_OK);
      EXPECT_EQ(skein_barrier_wait(&barrier), SKEIN_ELOCK);
    });
    EXPECT_EQ(lasts, 50);
  }
}

TEST_F(Sync, OnceRunsOnce) {
  static std::atomic<int> ran;
  for (unsigned workers : {1u, several}) {
    ran = 0;
    in_scheduler(workers, [] {
      once = SKEIN_ONCE_INITIALIZER;
      for (int i = 0; i < 20; i++)
        start(+[] {
          EXPECT_EQ(skein_once(
                        &once,
                        +[] {
                          skein_sleep_ns(2 * ms); // the others wait
                          EXPECT_FALSE(holds_nothing());
                          EXPECT_EQ(skein_once(&once, +[] {}), SKEIN_ELOCK);
                          ran++;
                        }),
                    SKEIN_OK);
          EXPECT_EQ(ran, 1);
          EXPECT_TRUE(holds_nothing());
        });
      join_all();
    });
  }
}

#if !__has_feature(thread_sanitizer) // which ends the process when an exception unwinds a stack of ours
TEST_F(Sync, OnceIsTriedAgainAfterAnException) {
  in_scheduler(1, [] {
    EXPECT_THROW(skein_once(&once, +[] { throw 1; }), int);
    EXPECT_TRUE(holds_nothing());
    skein_once(&once, +[] { counter++; });
    skein_once(&once, +[] { counter++; });
    EXPECT_EQ(counter, 1);
  });
}
#endif

TEST_F(Sync, FutureIsSetOnce) {
  static std::atomic<int> got;
  for (unsigned workers : {1u, several}) {
    got = 0;
    in_scheduler(workers, [] {
      skein_future_init(&future);
      uint64_t value = 0;
      EXPECT_EQ(skein_future_timedget_ns(&future, &value, 0), SKEIN_ETIME);
      EXPECT_EQ(skein_future_timedget_ns(&future, &value, ms), SKEIN_ETIME);
      for (int i = 0; i < 100; i++)
        start(+[] {
          uint64_t value = 0;
          EXPECT_EQ(skein_future_get(&future, &value), SKEIN_OK);
          EXPECT_EQ(value, 42u);
          got++;
        });
      yield(20);
      EXPECT_EQ(skein_future_set(&future, 42), SKEIN_OK);
      join_all();
      EXPECT_EQ(skein_future_set(&future, 43), SKEIN_ELOCK);
      EXPECT_EQ(skein_future_get(&future, nullptr), SKEIN_OK);
      EXPECT_EQ(skein_future_timedget_ns(&future, &value, 0), SKEIN_OK);
      EXPECT_EQ(value, 42u);
      EXPECT_EQ(skein_future_destroy(&future), SKEIN_OK);
      int local = 5;
      void *pointer = nullptr;
      skein_future_set_pointer(&future, &local);
      EXPECT_EQ(skein_future_get_pointer(&future, &pointer), SKEIN_OK);
      EXPECT_EQ(pointer, &local);
    });
    EXPECT_EQ(got, 100);
  }
}

} // namespace
