// skein_join, and how the room net uses its parts.
#include "../in_scheduler.h"
#include "sched/bundle.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

std::vector<uint64_t> asked;

void end_after(int yields) {
  for (int i = 0; i < yields; i++)
    skein_yield();
}

TEST(Join, OfAThreadThatHasEnded) {
  in_scheduler(1, [] {
    uint64_t id = spawn(end_after, 0);
    end_after(5);
    EXPECT_FALSE(thread_with(id, [](Thread *) {}));
    EXPECT_EQ(skein_join(id), SKEIN_OK);
    EXPECT_EQ(skein_join(id), SKEIN_OK); // again
  });
}

TEST(Join, ManyWaitForOne) {
  static std::atomic<int> woken;
  for (unsigned workers : {1u, 4u}) {
    woken = 0;
    in_scheduler(workers, [] {
      uint64_t id = spawn(end_after, 300);
      for (int i = 0; i < 100; i++)
        spawn(
            +[](uint64_t id) {
              EXPECT_EQ(skein_join(id), SKEIN_OK);
              woken++;
            },
            id);
      EXPECT_EQ(skein_join(id), SKEIN_OK);
    });
    EXPECT_EQ(woken, 100);
  }
}

TEST(Join, WhatCannotBeJoinedRejects) {
  in_scheduler(1, [] {
    EXPECT_EQ(skein_join(0), SKEIN_ETHREAD);
    EXPECT_NE(std::string(skein_error_text()).find("0 is no thread"), std::string::npos);
    EXPECT_EQ(skein_join(skein_self()), SKEIN_ETHREAD);
    EXPECT_NE(std::string(skein_error_text()).find("waits for itself"), std::string::npos);
    EXPECT_EQ(skein_join(987654321), SKEIN_ETHREAD);
    EXPECT_NE(std::string(skein_error_text()).find("there is and was no thread"), std::string::npos);
    EXPECT_EQ(skein_join(UINT64_C(5) << id_node_shift | 7), SKEIN_ETHREAD);
    EXPECT_EQ(skein_join(spawn(end_after, 0)), SKEIN_OK);
    EXPECT_STREQ(skein_error_text(), ""); // success clears it
  });
}

TEST(Join, AThreadElsewhereIsAskedFor) {
  const uint64_t far = UINT64_C(3) << id_node_shift | 7;
  in_scheduler(1, [=] {
    asked.clear();
    join_elsewhere = [](uint64_t id) { asked.push_back(id); };
    uint64_t waiter = spawn(
        +[](uint64_t id) {
          EXPECT_EQ(skein_join(id), SKEIN_EDEAD);
          EXPECT_STREQ(skein_error_text(), "node 3 died");
        },
        far);
    end_after(5);
    EXPECT_EQ(asked, std::vector<uint64_t>{far});
    EXPECT_TRUE(join_waits(far));
    EXPECT_FALSE(join_waits(far + 1));
    // It has the same lock and the same chain of the table, but another id, for which no thread waits.
    join_wake(far + (1 << 20), SKEIN_OK, nullptr);
    EXPECT_TRUE(join_waits(far));
    join_wake(far, SKEIN_EDEAD, "node 3 died");
    EXPECT_FALSE(join_waits(far));
    join_wake(far, SKEIN_OK, nullptr); // harmless
    join_elsewhere = nullptr;
    EXPECT_EQ(skein_join(waiter), SKEIN_OK);
  });
}

TEST(Join, AnAnswerMayComeAtOnce) {
  in_scheduler(1, [] {
    join_elsewhere = [](uint64_t id) { join_wake(id, SKEIN_OK, nullptr); };
    EXPECT_EQ(skein_join(UINT64_C(3) << id_node_shift | 7), SKEIN_OK);
    join_elsewhere = nullptr;
  });
}

/// Lets a thread arrive that has not run yet, as migrate does.
static Thread *arrive(uint64_t id) {
  bool here;
  Thread *arrived = thread_new_arriving(id, here, join_arrives);
  arrived->state.store(ThreadState::initialised);
  bundle_enter(arrived, bundle_root);
  arrived->start.function = reinterpret_cast<void (*)()>(end_after);
  arrived->start.count = 1;
  return arrived;
}

TEST(Join, AThreadThatArrivesKnowsItsWaiters) {
  const uint64_t far = UINT64_C(3) << id_node_shift | 8;
  in_scheduler(1, [=] {
    join_elsewhere = [](uint64_t) {};
    uint64_t waiter = spawn(+[](uint64_t id) { EXPECT_EQ(skein_join(id), SKEIN_OK); }, far);
    end_after(5);
    Thread *arrived = arrive(far);
    EXPECT_TRUE(arrived->join.awaited);
    thread_ready(arrived);
    EXPECT_EQ(skein_join(waiter), SKEIN_OK);
    join_elsewhere = nullptr;
  });
}

TEST(Join, WhoWaitsFollowsAThreadThatLeavesAndComesBack) {
  const uint64_t far = UINT64_C(3) << id_node_shift | 9;
  in_scheduler(1, [=] {
    join_elsewhere = [](uint64_t id) { asked.push_back(id); };
    void (*const wait)(uint64_t) = [](uint64_t id) { EXPECT_EQ(skein_join(id), SKEIN_OK); };
    asked.clear();
    Thread *thread = arrive(far);
    uint64_t first = spawn(wait, far); // waits while the other thread is here
    end_after(5);
    EXPECT_TRUE(asked.empty());
    EXPECT_TRUE(join_departs(thread));
    EXPECT_TRUE(join_waits(far));
    bundle_leave(thread);
    thread_delete(thread);
    uint64_t second = spawn(wait, far); // waits while it is away
    end_after(5);
    EXPECT_EQ(asked, std::vector<uint64_t>{far});
    thread = arrive(far);
    uint64_t third = spawn(wait, far);
    end_after(5);
    EXPECT_EQ(asked, std::vector<uint64_t>{far});
    thread_ready(thread);
    join_elsewhere = nullptr; // one that has ended is looked for here
    for (uint64_t waiter : {first, second, third})
      EXPECT_EQ(skein_join(waiter), SKEIN_OK);
    EXPECT_FALSE(join_waits(far));
  });
}

TEST(Join, WhoIsCancelledWaitsNoMore) {
  const uint64_t far = UINT64_C(3) << id_node_shift | 10;
  in_scheduler(1, [=] {
    join_elsewhere = [](uint64_t) {};
    static int ended;
    ended = 0;
    void (*const wait)(uint64_t) = [](uint64_t id) {
      EXPECT_EQ(skein_join(id), SKEIN_OK);
      ended++;
    };
    const uint64_t here = spawn(end_after, 1000);
    for (uint64_t target : {far, here}) {
      uint64_t waiters[3];
      for (uint64_t &waiter : waiters)
        waiter = spawn(wait, target);
      end_after(100);
      for (int which : {1, 0}) { // in the middle, and first
        EXPECT_EQ(skein_cancel(waiters[which]), SKEIN_OK);
        EXPECT_EQ(skein_join(waiters[which]), SKEIN_OK);
      }
      EXPECT_TRUE(join_waits(target));
      if (target == far)
        join_wake(far, SKEIN_OK, nullptr);
      EXPECT_EQ(skein_join(waiters[2]), SKEIN_OK);
      EXPECT_FALSE(join_waits(target));
    }
    EXPECT_EQ(ended, 2);
    join_elsewhere = nullptr;
  });
}

} // namespace
