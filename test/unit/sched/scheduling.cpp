// Yield, spawn and what other rooms do with ready threads, on one worker, so that the order is certain.
#include "../in_scheduler.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

std::string trace;

void note(int name, int times) {
  for (int i = 0; i < times; i++) {
    trace += static_cast<char>('a' + name);
    skein_yield();
  }
}

TEST(Scheduling, YieldRotates) {
  trace.clear();
  in_scheduler(1, [] {
    std::vector<uint64_t> ids;
    for (int name = 0; name < 3; name++)
      ids.push_back(spawn(note, name, 100));
    for (uint64_t id : ids)
      skein_join(id);
  });
  EXPECT_EQ(trace.size(), 300u);
  EXPECT_EQ(trace.substr(150, 3), trace.substr(153, 3)); // once all have started, they take turns
  std::string turn = trace.substr(150, 3);
  EXPECT_TRUE(turn.find('a') != std::string::npos && turn.find('b') != std::string::npos &&
              turn.find('c') != std::string::npos)
      << turn;
}

TEST(Scheduling, YieldAloneReturns) {
  in_scheduler(1, [] {
    for (int i = 0; i < 1000; i++)
      skein_yield();
    EXPECT_EQ(skein_self(), main_id);
  });
}

bool flag;

TEST(Scheduling, YieldingUntilAFreshThreadHasRun) {
  flag = false;
  in_scheduler(1, [] {
    spawn(note, 0, 100000);
    for (int i = 0; i < 4; i++)
      skein_yield();
    spawn(+[] { flag = true; });
    int yields = 0;
    while (!flag && yields < 1000) {
      skein_yield();
      yields++;
    }
    EXPECT_TRUE(flag);
  });
}

TEST(Scheduling, AThreadRunsOnlyWhenItsTurnComesAndHasNoStackBefore) {
  flag = false;
  in_scheduler(1, [] {
    uint64_t id = spawn(+[] { flag = true; });
    EXPECT_FALSE(flag);
    bool stack = true;
    EXPECT_TRUE(thread_with(id, [&](Thread *thread) { stack = static_cast<bool>(thread->stack); }));
    EXPECT_FALSE(stack);
    EXPECT_EQ(threads_ready(), 1u);
    skein_join(id);
    EXPECT_TRUE(flag);
  });
}

TEST(Scheduling, PollYieldsAndClearsItsFlag) {
  trace.clear();
  in_scheduler(1, [] {
    uint64_t id = spawn(note, 0, 1);
    __skein_poll_flag = 1;
    __skein_poll();
    EXPECT_EQ(__skein_poll_flag, 0);
    EXPECT_EQ(trace, "a");
    skein_join(id);
  });
}

TEST(Scheduling, TakenThreadIsOutUntilItIsReadyAgain) {
  flag = false;
  in_scheduler(1, [] {
    uint64_t id = spawn(+[] { flag = true; });
    Thread *taken = take_ready_for_steal();
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(taken->id, id);
    EXPECT_EQ(taken->state, ThreadState::in_flight);
    for (int i = 0; i < 10; i++)
      skein_yield();
    EXPECT_FALSE(flag);
    EXPECT_EQ(take_ready_for_steal(), nullptr);
    thread_ready(taken);
    skein_join(id);
    EXPECT_TRUE(flag);
  });
}

TEST(Scheduling, WhoHoldsALockIsPassedByThieves) {
  in_scheduler(1, [] {
    uint64_t id = spawn(note, 0, 1);
    EXPECT_TRUE(thread_with(id, [](Thread *thread) { thread->holds.unnamed = 1; }));
    EXPECT_EQ(take_ready_for_steal(), nullptr);
    EXPECT_TRUE(thread_with(id, [](Thread *thread) { thread->holds.unnamed = 0; }));
    Thread *taken = take_ready_for_steal();
    ASSERT_NE(taken, nullptr);
    thread_ready(taken);
    skein_join(id);
  });
}

TEST(Scheduling, TakeByIdTellsWhyNot) {
  in_scheduler(1, [] {
    ThreadState state;
    uint64_t id = spawn(note, 0, 3);
    Thread *taken = take_ready(id, &state);
    ASSERT_NE(taken, nullptr);
    thread_ready(taken);
    EXPECT_EQ(take_ready(skein_self(), &state), nullptr);
    EXPECT_EQ(state, ThreadState::running);
    uint64_t waiter = spawn(+[](uint64_t id) { skein_join(id); }, main_id);
    while (threads_ready() > 0) // both get on, and the waiter blocks
      skein_yield();
    EXPECT_EQ(take_ready(waiter, &state), nullptr);
    EXPECT_EQ(state, ThreadState::blocked);
    EXPECT_EQ(take_ready(id, &state), nullptr); // ended meanwhile
    EXPECT_EQ(state, ThreadState::ended);
  });
}

TEST(Scheduling, SpawnFromAKernelThreadOfTheProgram) {
  flag = false;
  in_scheduler(1, [] {
    pthread_t other;
    uint64_t id = 0;
    pthread_create(
        &other, nullptr,
        [](void *to) -> void * {
          EXPECT_EQ(skein_self(), 0u);
          EXPECT_NE(std::string(skein_error_text()), "");
          skein_yield(); // only gives the core away
          *static_cast<uint64_t *>(to) = spawn(+[] { flag = true; });
          return nullptr;
        },
        &id);
    pthread_join(other, nullptr);
    EXPECT_NE(id, 0u);
    EXPECT_EQ(skein_join(id), 0);
    EXPECT_TRUE(flag);
  });
}

TEST(SchedulingDeathTest, JoinFromAKernelThreadOfTheProgram) {
  EXPECT_EXIT(skein_join(2), testing::ExitedWithCode(70), "skein_join was called outside of any Skein thread");
}

std::vector<std::string> events_seen;

TEST(Scheduling, EventsOfALife) {
  events.thread_created.add([](Thread *thread) {
    if (!trace.empty())
      events_seen.push_back("created " + std::to_string(thread->stack ? 1 : 0));
  });
  events.thread_started.add([](Thread *thread) {
    if (!trace.empty())
      events_seen.push_back("started " + std::to_string(thread->stack ? 1 : 0));
  });
  events.thread_ended.add([](Thread *thread) {
    if (!trace.empty())
      events_seen.push_back("ended " + std::to_string(thread->result));
  });
  events_seen.clear();
  trace = "on";
  in_scheduler(1, [] { skein_join(spawn(reinterpret_cast<void (*)()>(+[]() -> long { return 17; }))); });
  trace = "";
  EXPECT_EQ(events_seen, (std::vector<std::string>{"created 0", "started 1", "ended 17", "ended 0"}));
}

} // namespace
