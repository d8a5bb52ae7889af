// A worker that is alone takes locks and counts without locked instructions, and nothing may be lost when another
// kernel thread comes in the middle. That happens once in a process, so each round is a process of its own.
#include "base/alone.h"
#include "base/lock.h"
#include "base/uneven_barrier.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace skein;

namespace {

constexpr long each = 2000;

void count_up(std::atomic<long> &counter) {
  if (!alone_enter()) {
    counter++;
    return;
  }
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  alone_leave();
}

/// Returns 0, or a number that says what went wrong.
int round(unsigned delay) {
  barrier_start();
  alone_start();
  if (barrier_asymmetric && alone_state.load() != RuntimeUsers::alone)
    return 1;
  SpinLock lock(Rank::leaf);
  long sum = 0; // not atomic: only the lock protects it
  std::atomic<long> counted{0};
  std::atomic<bool> begin{false}, over{false};
  std::thread other([&] {
    while (!begin.load())
      ;
    for (unsigned i = 0; i < delay; i++)
      __builtin_ia32_pause();
    for (long i = 0; i < each; i++) {
      {
        Guard guard(lock);
        sum++;
      }
      count_up(counted);
    }
    over = true;
  });
  begin = true;
  long mine = 0;
  for (; mine < each || !over; mine++) {
    {
      Guard guard(lock);
      sum++;
    }
    count_up(counted);
  }
  other.join();
  if (alone_state.load() != RuntimeUsers::many)
    return 2;
  return sum == mine + each && counted == sum ? 0 : 3;
}

TEST(Alone, SomebodyComesInTheMiddle) {
  for (unsigned i = 0; i < 50; i++) {
    const pid_t child = fork();
    if (!child)
      _exit(round(i));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "round " << i;
  }
}

/// A kernel thread that comes waits for the code between enter and leave.
int wait_for_leave() {
  barrier_start();
  alone_start();
  if (!barrier_asymmetric)
    return 0; // nobody is ever alone
  if (!alone_enter())
    return 1;
  SpinLock lock(Rank::leaf);
  std::atomic<bool> began{false}, came{false};
  std::thread other([&] {
    began = true;
    Guard guard(lock);
    came = true;
  });
  while (!began)
    sched_yield();
  usleep(20'000);
  const bool early = came;
  alone_leave();
  other.join();
  return early ? 2 : alone_enter() ? 3 : 0;
}

TEST(Alone, WhoComesWaits) {
  const pid_t child = fork();
  if (!child)
    _exit(wait_for_leave());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

/// Each other kernel thread that comes meanwhile waits as well.
int all_wait_for_leave() {
  barrier_start();
  alone_start();
  if (!barrier_asymmetric)
    return 0;
  if (!alone_enter())
    return 1;
  SpinLock lock(Rank::leaf);
  std::atomic<int> began{0}, came{0};
  const auto comes = [&] {
    began++;
    Guard guard(lock);
    came++;
  };
  std::thread first(comes);
  while (alone_state.load() != RuntimeUsers::leaving)
    sched_yield();
  std::thread second(comes), third(comes);
  while (began < 3)
    sched_yield();
  usleep(20'000);
  const int early = came;
  alone_leave();
  first.join();
  second.join();
  third.join();
  return early ? 2 : came != 3 ? 3 : alone_state.load() != RuntimeUsers::many ? 4 : 0;
}

TEST(Alone, AllWhoComeWait) {
  const pid_t child = fork();
  if (!child)
    _exit(all_wait_for_leave());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

/// One worker may be joined by a kernel thread that runs no threads. Several workers become one again only when they
/// end.
TEST(Alone, WorkersAreMoreThanCompany) {
  const pid_t child = fork();
  if (!child) {
    barrier_start();
    alone_start();
    std::thread([] { alone_end(); }).join();
    const bool many = alone_state.load() == RuntimeUsers::many;
    alone_end(RuntimeUsers::workers);
    const bool workers = alone_state.load() == RuntimeUsers::workers;
    alone_end();
    const bool still = alone_state.load() == RuntimeUsers::workers && !alone_enter();
    alone_workers_ended();
    _exit(!(many && workers && still && alone_state.load() == RuntimeUsers::many && !alone_enter()));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

TEST(Alone, OnlyTheFirstKernelThread) {
  const pid_t child = fork();
  if (!child) {
    barrier_start();
    std::thread(alone_start).join();
    _exit(alone_state.load() != RuntimeUsers::many);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

} // namespace
