// With several workers, no thread may be lost or run twice, and no wake-up may be missed.
//
// Workers outnumber cores on purpose: a worker is then preempted at any instruction, also while it holds a lock or is
// about to sleep.
#include "../in_scheduler.h"
#include "../local_semaphore.h"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

std::atomic<long> sum;
std::atomic<int> runs[20000];

void run_once(int index, int yields) {
  runs[index]++;
  for (int i = 0; i < yields; i++)
    skein_yield();
  sum += index;
}

class Parallel : public testing::TestWithParam<unsigned> {};

TEST_P(Parallel, TenThousandThreadsEachOnce) {
  constexpr int n = 10'000;
  sum = 0;
  for (auto &one : runs)
    one = 0;
  in_scheduler(GetParam(), [] {
    std::vector<uint64_t> ids;
    for (int i = 0; i < n; i++)
      ids.push_back(spawn(run_once, i, i % 7));
    for (uint64_t id : ids)
      EXPECT_EQ(skein_join(id), 0);
  });
  EXPECT_EQ(sum, static_cast<long>(n) * (n - 1) / 2);
  for (int i = 0; i < n; i++)
    ASSERT_EQ(runs[i], 1) << i;
  EXPECT_EQ(threads_living(), 0u);
}

Semaphore *gate;
std::atomic<int> waiting;

TEST_P(Parallel, TenThousandBlockedAtOnce) {
  constexpr int n = 10'000;
  Semaphore local(0);
  gate = &local;
  sum = 0;
  waiting = 0;
  in_scheduler(GetParam(), [] {
    std::vector<uint64_t> ids;
    for (int i = 0; i < n; i++)
      ids.push_back(spawn(
          +[](int i) {
            waiting++;
            test_semaphore_wait(gate);
            sum += i;
          },
          i));
    while (waiting < n)
      skein_yield();
    for (int i = 0; i < n; i++)
      gate->signal();
    for (uint64_t id : ids)
      skein_join(id);
  });
  EXPECT_EQ(sum, static_cast<long>(n) * (n - 1) / 2);
}

void fibonacci(int n, long *to) {
  if (n < 2) {
    *to = n;
    return;
  }
  // Results live on the heap: the test is not compiled by skeincc, but nothing moves here either.
  long *parts = static_cast<long *>(malloc(2 * sizeof(long)));
  uint64_t a = spawn(fibonacci, n - 1, &parts[0]);
  uint64_t b = spawn(fibonacci, n - 2, &parts[1]);
  EXPECT_EQ(skein_join(a), 0);
  EXPECT_EQ(skein_join(b), 0);
  *to = parts[0] + parts[1];
  free(parts);
}

TEST_P(Parallel, TreeOfJoins) {
  static long result;
  result = 0;
  in_scheduler(GetParam(), [] { fibonacci(18, &result); });
  EXPECT_EQ(result, 2584);
}

TEST_P(Parallel, PingPongOverSemaphores) {
  static Semaphore *there, *back;
  static long rounds;
  Semaphore one(0), other(0);
  there = &one;
  back = &other;
  rounds = 0;
  in_scheduler(GetParam(), [] {
    uint64_t id = spawn(+[] {
      for (int i = 0; i < 20'000; i++) {
        test_semaphore_wait(there);
        rounds++;
        back->signal();
      }
    });
    for (int i = 0; i < 20'000; i++) {
      there->signal();
      test_semaphore_wait(back);
      EXPECT_EQ(rounds, i + 1);
    }
    skein_join(id);
  });
}

TEST_P(Parallel, SleepingWorkersWakeForEachBurst) {
  // Pauses let all workers go to sleep between bursts. A missed wake-up would leave a thread waiting while all sleep,
  // and the deadlock check would not see it (a thread is ready), so the test would hang into its timeout.
  sum = 0;
  in_scheduler(GetParam(), [] {
    for (int burst = 0; burst < 200; burst++) {
      std::vector<uint64_t> ids;
      for (int i = 0; i < burst % 5 + 1; i++)
        ids.push_back(spawn(+[] { sum++; }));
      if (burst % 3 == 0)
        usleep(300);
      for (uint64_t id : ids)
        skein_join(id);
    }
  });
  EXPECT_EQ(sum, 600);
}

TEST_P(Parallel, ReadyFromOutsideWakesSleepers) {
  // Threads block; a kernel thread of the program signals them while all workers sleep.
  Semaphore local(0);
  gate = &local;
  sum = 0;
  in_scheduler(GetParam(), [] {
    std::thread outside([] {
      for (int i = 0; i < 300; i++) {
        usleep(i % 7 * 20);
        gate->signal();
      }
    });
    std::vector<uint64_t> ids;
    for (int i = 0; i < 300; i++)
      ids.push_back(spawn(+[] {
        test_semaphore_wait(gate);
        sum++;
      }));
    for (uint64_t id : ids)
      skein_join(id);
    outside.join();
  });
  EXPECT_EQ(sum, 300);
}

TEST_P(Parallel, LastActOfAKernelThread) {
  // A kernel thread wakes a thread and ends. A worker that sees that it has ended must also see that it has woken the
  // thread, and not report a deadlock.
  sum = 0;
  in_scheduler(GetParam(), [] {
    static Semaphore local(0); // the kernel thread may still be in signal when the join is over
    gate = &local;
    for (int i = 0; i < 500; i++) {
      uint64_t id = spawn(+[] {
        test_semaphore_wait(gate);
        sum++;
      });
      std::thread([i] {
        usleep(i % 10 * 5);
        gate->signal();
      }).detach();
      skein_join(id);
    }
  });
  EXPECT_EQ(sum, 500);
}

TEST_P(Parallel, ThievesTakeAndReturn) {
  // A kernel thread does what the room net does: it takes ready threads and returns them later.
  constexpr int n = 2'000;
  sum = 0;
  for (auto &one : runs)
    one = 0;
  in_scheduler(GetParam(), [] {
    static std::atomic<bool> over;
    over = false;
    std::thread thief([] {
      unsigned taken = 0;
      while (!over) {
        Thread *thread = take_ready_for_steal(static_cast<skein_wanted>(taken++ % 4));
        if (!thread)
          continue;
        EXPECT_EQ(thread->state.load(), ThreadState::in_flight);
        if (taken % 3 == 0)
          usleep(10);
        thread_ready(thread);
      }
    });
    std::vector<uint64_t> ids;
    for (int i = 0; i < n; i++)
      ids.push_back(spawn(run_once, i, 20));
    for (uint64_t id : ids) {
      ThreadState state;
      if (Thread *one = take_ready(id, &state))
        thread_ready(one);
      skein_join(id);
    }
    over = true;
    thief.join();
  });
  for (int i = 0; i < n; i++)
    ASSERT_EQ(runs[i], 1) << i;
}

TEST_P(Parallel, AllWorkersGetWork) {
  const unsigned workers = GetParam();
  static std::atomic<unsigned> seen;
  seen = 0;
  in_scheduler(workers, [workers] {
    // Each thread waits until every worker runs one of them, so the test ends only if all workers take part.
    for (unsigned i = 0; i < workers; i++)
      spawn(
          +[](unsigned all) {
            seen |= 1u << worker_current()->index;
            while (seen != all)
              usleep(100); // keeps its worker busy, without a yield
          },
          (1u << workers) - 1);
  });
  EXPECT_EQ(seen, (1u << workers) - 1);
}

TEST_P(Parallel, YieldingInALoopHelpsOthers) {
  // Every worker except main's computes, with threads waiting for it, and main only yields. All threads must run.
  const unsigned workers = GetParam();
  static std::atomic<unsigned> busy, helped;
  static std::atomic<bool> over;
  busy = helped = 0;
  over = false;
  in_scheduler(workers, [workers] {
    for (unsigned i = 1; i < workers; i++)
      spawn(+[] {
        busy++;
        for (int k = 0; k < 3; k++)
          spawn(+[] { helped++; });
        while (!over)
          usleep(100); // no yield
      });
    while (busy < workers - 1)
      usleep(100); // main keeps its worker until the others have taken theirs
    while (helped < 3 * (workers - 1))
      skein_yield();
    over = true;
  });
  EXPECT_EQ(helped, 3 * (workers - 1));
}

INSTANTIATE_TEST_SUITE_P(Workers, Parallel, testing::Values(1u, 2u, 5u));

} // namespace
