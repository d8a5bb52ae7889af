// Deadlines: order, precision, and what they do to workers that sleep.
#include "sched/timers.h"
#include "../in_scheduler.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <skein/sync.h>
#include <sys/resource.h>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

constexpr uint64_t ms = 1000000;

[[maybe_unused]] uint64_t cpu_ns() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
         static_cast<uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

#ifdef SKEIN_FIBERS // a sanitizer
constexpr uint64_t patience = 500;
#else
constexpr uint64_t patience = 30;
#endif

TEST(Timers, SleepersWakeInOrderOfTheirDeadlines) {
  static std::vector<int> woken;
  static uint64_t begin;
  woken.clear();
  in_scheduler(1, [] {
    std::vector<uint64_t> ids;
    constexpr int count = 200;
    begin = clock_ns() + patience * ms; // all threads have begun by then
    for (int i = 0; i < count; i++)
      ids.push_back(spawn(
          +[](int when) {
            skein_sleep_ns(begin + static_cast<uint64_t>(when) * 50000 - clock_ns());
            woken.push_back(when);
          },
          i * 37 % count)); // in no order
    for (uint64_t id : ids)
      skein_join(id);
    EXPECT_EQ(woken.size(), size_t{count});
    EXPECT_TRUE(std::is_sorted(woken.begin(), woken.end()));
    EXPECT_FALSE(timers_pending());
  });
}

TEST(Timers, NeverEarlyAndSeldomLate) {
  for (unsigned workers : {1u, 3u})
    in_scheduler(workers, [] {
      std::vector<uint64_t> late;
      for (int i = 0; i < 60; i++) {
        const uint64_t begin = clock_ns(), asked = 200000 + static_cast<uint64_t>(i) * 20000;
        skein_sleep_ns(asked);
        const uint64_t took = clock_ns() - begin;
        ASSERT_GE(took, asked);
        late.push_back(took - asked);
      }
      std::sort(late.begin(), late.end());
      EXPECT_LT(late[late.size() / 4], ms / 2); // on a crowded machine only the better part can be required
      RecordProperty("late_median_ns", std::to_string(late[late.size() / 2]));
    });
}

TEST(Timers, ABusyWorkerLooksWhenItSwitches) {
  static bool woken;
  woken = false;
  in_scheduler(1, [] {
    uint64_t sleeper = spawn(+[] {
      skein_sleep_ns(2 * ms);
      woken = true;
    });
    const uint64_t begin = clock_ns();
    while (!woken && clock_ns() - begin < 5000 * ms)
      skein_yield();
    EXPECT_TRUE(woken);
    skein_join(sleeper);
  });
}

TEST(Timers, AnIdleWorkerServesADeadlineWhileAnotherComputes) {
  in_scheduler(3, [] {
    static std::atomic<bool> woken;
    woken = false;
    uint64_t sleeper = spawn(+[] {
      skein_sleep_ns(3 * ms);
      woken = true;
    });
    skein_sleep_ns(ms); // it sleeps by now, and a worker guards its deadline or that of this thread
    const uint64_t begin = clock_ns();
    while (!woken && clock_ns() - begin < 5000 * ms) // no call
      __builtin_ia32_pause();
    EXPECT_TRUE(woken);
    skein_join(sleeper);
  });
}

#if !__has_feature(thread_sanitizer) // which costs something
TEST(Timers, SleepingCostsNothing) {
  in_scheduler(3, [] {
    const uint64_t before = cpu_ns();
    for (int i = 0; i < 4; i++)
      spawn(+[] { skein_sleep_ns(290 * ms); });
    skein_sleep_ns(300 * ms);
    EXPECT_LT(cpu_ns() - before, 3 * ms + 3 * ms); // 1 %, and the start of the workers
  });
}
#endif

TEST(Timers, ManyDeadlinesCancelledInAnyOrder) {
  in_scheduler(2, [] {
    static skein_sem_t sems[100];
    std::vector<uint64_t> ids;
    for (int i = 0; i < 1000; i++)
      ids.push_back(spawn(
          +[](int i) {
            EXPECT_EQ(skein_sem_timedwait_ns(&sems[i % 100], 60000 * ms + static_cast<uint64_t>(i * 7919 % 1000)),
                      SKEIN_OK);
          },
          i));
    while (
        std::any_of(std::begin(sems), std::end(sems), [](skein_sem_t &each) { return skein_sem_count(&each) > -10; }))
      skein_yield();
    EXPECT_TRUE(timers_pending());
    for (int i = 0; i < 1000; i++)
      skein_sem_signal(&sems[i * 31 % 100]);
    for (uint64_t id : ids)
      skein_join(id);
    EXPECT_FALSE(timers_pending());
  });
}

} // namespace
