// All workers can be halted at any time, and go on as if nothing had been.
#include "../in_scheduler.h"
#include "../local_semaphore.h"

#include "sched/halt.h"
#include "sched/time_slices.h"

#include <gtest/gtest.h>
#include <skein/sync.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

std::atomic<long> steps;
std::atomic<bool> over;
Semaphore *gate;

void yield_for_ever() {
  while (!over) {
    steps++;
    skein_yield();
  }
}

void wait_and_signal() {
  while (!over) {
    test_semaphore_wait(gate);
    steps++;
    skein_yield();
    gate->signal();
  }
}

void spawn_and_join() {
  while (!over)
    skein_join(spawn(+[] { steps++; }));
}

void sleep_for_ever() {
  while (!over) {
    steps++;
    skein_sleep_ns(50'000);
  }
}

void halt() {
  workers_halt();
  while (!workers_halted()) {
    workers_interrupt();
    std::this_thread::yield();
  }
}

class Halts : public testing::TestWithParam<unsigned> {};

TEST_P(Halts, NothingRunsUntilItGoesOn) {
  constexpr int halts = 300;
  Semaphore two(2);
  gate = &two;
  steps = 0;
  over = false;
  std::thread outside;
  int errands = 0;
  in_scheduler(GetParam(), [&] {
    std::vector<uint64_t> ids;
    for (int i = 0; i < 4; i++)
      for (void (*function)() : {yield_for_ever, wait_and_signal, spawn_and_join, sleep_for_ever})
        ids.push_back(spawn(function));
    skein_attributes bound{};
    bound.worker = SKEIN_ON(static_cast<int>(GetParam()) - 1);
    ids.push_back(spawn_with(bound, yield_for_ever));
    outside = std::thread([&] {
      for (int i = 0; i < halts; i++) {
        halt();
        const long before = steps;
        if (i % 10 == 0)
          usleep(300);
        worker_zero_runs(
            [](void *count) {
              EXPECT_EQ(gettid(), getpid());
              ++*static_cast<int *>(count);
              return false;
            },
            &errands);
        EXPECT_TRUE(workers_halted());
        EXPECT_EQ(steps, before);
        char words[200];
        EXPECT_FALSE(workers_describe(words, sizeof words)) << words;
        workers_go_on();
        if (i % 3)
          while (steps == before)
            std::this_thread::yield();
      }
      over = true;
    });
    for (uint64_t id : ids)
      EXPECT_EQ(skein_join(id), 0);
  });
  outside.join();
  EXPECT_EQ(errands, halts);
  EXPECT_EQ(threads_living(), 0u);
}

/// One kernel thread may ask before the one that asked last has woken up.
TEST_P(Halts, ErrandsOfSeveralKernelThreadsAreAllRun) {
  constexpr int most = 3000;
  static std::atomic<int> run;
  run = 0;
  over = false;
  std::vector<std::thread> outside;
  in_scheduler(GetParam(), [&] {
    const uint64_t id = spawn(yield_for_ever);
    outside.emplace_back([&] {
      halt();
      std::vector<std::thread> askers;
      for (int asker = 0; asker < 3; asker++)
        askers.emplace_back([asker] {
          for (int i = asker; i < most; i += 3) {
            while (run != i)
              std::this_thread::yield();
            worker_zero_runs(
                [](void *) {
                  ++run;
                  return false;
                },
                nullptr);
            EXPECT_GT(run, i);
          }
        });
      for (std::thread &asker : askers)
        asker.join();
      over = true;
      workers_go_on();
    });
    EXPECT_EQ(skein_join(id), 0);
  });
  outside[0].join();
  EXPECT_EQ(run, most);
}

/// The scheduler may be stopped meanwhile. In a process of its own, since main's thread stays in its queue then.
TEST_P(Halts, TheEndComesAllTheSame) {
  const int child = fork();
  if (child == 0) {
    over = false;
    std::thread outside;
    const int result = in_scheduler_returning(GetParam(), [&] {
      outside = std::thread([] {
        halt();
        sched_stop(7);
      });
      yield_for_ever();
      return 0;
    });
    outside.join();
    _exit(result);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

std::atomic<int> counts[40];
bool is_copy;

/// A fork of a node that has halted is a copy of it in which only worker 0's kernel thread exists. All threads go on in
/// both, and neither hears of the other.
TEST_P(Halts, ACopyGoesOn) {
  constexpr int most = 3000;
  for (auto &count : counts)
    count = 0;
  Semaphore one(1);
  gate = &one;
  std::thread outside;
  int child = 0;
  workers_reborn = [] {
    is_copy = true;
    workers_begin_again();
    workers_go_on();
  };
  in_scheduler(GetParam(), [&] {
    std::vector<uint64_t> ids;
    for (int i = 0; i < 40; i++)
      ids.push_back(spawn(
          +[](int i) {
            while (++counts[i] < most) {
              if (counts[i] % 100 == i)
                skein_sleep_ns(100'000);
              test_semaphore_wait(gate);
              skein_yield();
              gate->signal();
            }
          },
          i));
    outside = std::thread([&] {
      while (counts[0] < most / 3)
        std::this_thread::yield();
      halt();
      worker_zero_runs(
          [](void *child) {
            const int process = fork();
            if (process)
              *static_cast<int *>(child) = process;
            return process == 0;
          },
          &child);
      workers_go_on();
    });
    for (uint64_t id : ids)
      skein_join(id);
  });
  bool right = threads_living() == 0;
  for (auto &count : counts)
    right &= count == most;
  if (is_copy)
    _exit(right ? 0 : 1);
  outside.join();
  EXPECT_TRUE(right);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  workers_reborn = nullptr;
}

INSTANTIATE_TEST_SUITE_P(Workers, Halts, testing::Values(1, 2, 5));

} // namespace
