// Where threads that talk are placed, as a pure decision: without METIS, and with it where it is installed.
#include "balance/metis.h"
#include "balance/thread_placement.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

using namespace skein;

namespace {

constexpr float period_us = 20000;

/// Rings of threads, dealt out over nodes that have one worker each; every thread sends `messages` a period.
struct Rings {
  Conversations conversations;
  std::vector<int> number_of;
  uint32_t rings, size, messages;

  Rings(uint32_t nodes, uint32_t rings_, uint32_t size_, uint32_t messages_)
      : rings(rings_), size(size_), messages(messages_) {
    for (uint32_t i = 0; i < nodes; i++)
      number_of.push_back(static_cast<int>(i));
  }
  uint64_t thread(uint32_t ring, uint32_t at) const { return 1 + ring * size + at; }

  template <class Where> void talk(Where &&where) {
    for (int period = 0; period < 60; period++) {
      for (uint32_t ring = 0; ring < rings; ring++)
        for (uint32_t at = 0; at < size; at++)
          for (uint32_t of :
               {at, (at + size - 1) % size}) // it sends to its own channel, and receives from the last one's
            conversations.heard(where(ring, at), {thread(ring, at), 1000 + thread(ring, of), 64, messages, 1});
      conversations.fade();
    }
  }

  PlacementProblem problem() {
    PlacementProblem made;
    EXPECT_TRUE(conversations.problem(number_of.data(), static_cast<uint32_t>(number_of.size()), made));
    for (uint32_t node = 0; node < made.nodes; node++)
      made.workers[node] = 1;
    made.activity = 0.5;
    made.period_us = period_us;
    return made;
  }
};

/// How many threads there are on each node.
std::vector<int> counts(const PlacementProblem &problem, const std::vector<int32_t> &at) {
  std::vector<int> of(problem.nodes);
  for (int32_t node : at)
    of[static_cast<size_t>(node)]++;
  return of;
}

std::vector<int32_t> placed(const PlacementProblem &problem, Partitioner partition, Placed &result) {
  std::vector<int32_t> to(problem.threads);
  result = place(problem, partition, to.data());
  return to;
}

/// Puts all threads where they were placed, and looks again: nothing moves any more.
void expect_rest(PlacementProblem &problem, const std::vector<int32_t> &to) {
  for (uint32_t i = 0; i < problem.threads; i++)
    problem.vertices[i].at = to[i];
  Placed again;
  placed(problem, metis_partition, again);
  EXPECT_EQ(again.moves, 0u);
}

} // namespace

TEST(Placement, DealtOutRingsComeTogether) {
  if (const char *missing = metis_load())
    GTEST_SKIP() << missing;
  Rings rings(4, 16, 6, 100);
  rings.talk([](uint32_t, uint32_t at) { return static_cast<int>(at % 4); });
  PlacementProblem problem = rings.problem();
  ASSERT_EQ(problem.threads, 96u);
  Placed result;
  const auto to = placed(problem, metis_partition, result);
  EXPECT_GT(result.before.cut_us, period_us);
  EXPECT_LT(result.after.cut_us, result.before.cut_us / 20);
  EXPECT_GT(result.moves, 0u);
  for (int count : counts(problem, to)) {
    EXPECT_GE(count, 18);
    EXPECT_LE(count, 30);
  }
  expect_rest(problem, to);
  problem_free(problem);
}

TEST(Placement, AllOnOneNodeAreSharedOutByRings) {
  if (const char *missing = metis_load())
    GTEST_SKIP() << missing;
  Rings rings(2, 8, 6, 100);
  rings.talk([](uint32_t, uint32_t) { return 0; });
  PlacementProblem problem = rings.problem();
  Placed result;
  const auto to = placed(problem, metis_partition, result);
  EXPECT_EQ(result.before.cut_us, 0);
  EXPECT_EQ(result.after.cut_us, 0);
  EXPECT_GT(result.before.idle_us, period_us / 2);
  EXPECT_EQ(counts(problem, to), (std::vector<int>{24, 24}));
  EXPECT_EQ(result.moves, 24u);
  expect_rest(problem, to);
  problem_free(problem);
}

TEST(Placement, OneThreadThatIsAwayComesHomeWithoutMetis) {
  Rings rings(2, 4, 4, 100);
  rings.talk([](uint32_t ring, uint32_t at) { return ring == 1 && at == 2 ? 0 : static_cast<int>(ring % 2); });
  PlacementProblem problem = rings.problem();
  Placed result;
  const auto to = placed(problem, nullptr, result);
  EXPECT_FALSE(result.partitioned);
  EXPECT_EQ(result.moves, 1u);
  EXPECT_EQ(result.after.cut_us, 0);
  expect_rest(problem, to);
  problem_free(problem);
}

TEST(Placement, WhatIsNearlyGoodStays) {
  // A few messages between nodes are not worth a move, even if it would spare them all.
  Rings rings(2, 2, 4, 200);
  rings.talk([](uint32_t ring, uint32_t) { return static_cast<int>(ring); });
  for (int period = 0; period < 60; period++) {
    rings.conversations.heard(0, {1, 5000, 64, 2, 1});
    rings.conversations.heard(1, {5, 5000, 64, 2, 1});
    rings.conversations.fade();
    for (uint32_t ring = 0; ring < 2; ring++)
      for (uint32_t at = 0; at < 4; at++)
        for (uint32_t of : {at, (at + 3) % 4})
          rings.conversations.heard(static_cast<int>(ring),
                                    {rings.thread(ring, at), 1000 + rings.thread(ring, of), 64, 200, 1});
  }
  PlacementProblem problem = rings.problem();
  Placed result;
  placed(problem, metis_partition, result);
  EXPECT_GT(result.before.cut_us, 0);
  EXPECT_EQ(result.moves, 0u);
  problem_free(problem);
}

TEST(Placement, OthersKeepThreadsThatTalkAway) {
  if (const char *missing = metis_load())
    GTEST_SKIP() << missing;
  Rings rings(2, 8, 4, 10);
  rings.talk([](uint32_t, uint32_t at) { return static_cast<int>(at % 2); });
  PlacementProblem problem = rings.problem();
  problem.others[0] = 8; // as many as run of those that talk
  Placed result;
  const auto to = placed(problem, metis_partition, result);
  const auto count = counts(problem, to);
  EXPECT_LT(count[0], count[1]);
  EXPECT_LT(result.after.idle_us, result.before.idle_us);
  problem_free(problem);
}

TEST(Placement, ManyUsersOfAChannelAreWithTheBusiest) {
  // Seven clients of node 1 send to one server on node 0, which is where nothing else is.
  Conversations conversations;
  for (int period = 0; period < 60; period++) {
    for (uint64_t client = 2; client <= 8; client++)
      conversations.heard(1, {client, 99, 64, 100, 1});
    conversations.heard(0, {1, 99, 64, 700, 1});
    conversations.fade();
  }
  const int number_of[] = {0, 1};
  PlacementProblem problem;
  ASSERT_TRUE(conversations.problem(number_of, 2, problem));
  EXPECT_EQ(problem.threads, 8u);
  EXPECT_EQ(problem.first[problem.threads], 14u); // a star of seven edges, each from both ends
  for (uint32_t node = 0; node < 2; node++)
    problem.workers[node] = 1;
  problem.activity = 0.1f;
  problem.period_us = period_us;
  Placed result;
  const auto to = placed(problem, nullptr, result);
  EXPECT_EQ(result.moves, 1u); // the server, and not its clients
  EXPECT_EQ(counts(problem, to), (std::vector<int>{0, 8}));
  problem_free(problem);
}

TEST(Placement, WhoFallsSilentIsForgotten) {
  Rings rings(2, 1, 4, 1);
  rings.talk([](uint32_t, uint32_t at) { return static_cast<int>(at % 2); });
  for (int period = 0; period < 60; period++)
    rings.conversations.fade();
  PlacementProblem problem;
  EXPECT_FALSE(rings.conversations.problem(rings.number_of.data(), 2, problem));
}

TEST(Placement, WhoWasOnADeadNodeIsLeftOut) {
  Rings rings(3, 3, 4, 10);
  rings.talk([](uint32_t ring, uint32_t) { return static_cast<int>(ring); });
  const int number_of[] = {0, -1, 1};
  PlacementProblem problem;
  ASSERT_TRUE(rings.conversations.problem(number_of, 2, problem));
  EXPECT_EQ(problem.threads, 8u);
  for (uint32_t i = 0; i < problem.threads; i++)
    EXPECT_LT(problem.vertices[i].at, 2);
  problem_free(problem);
}

TEST(Placement, TheLatestPlaceCounts) {
  Conversations conversations;
  conversations.heard(0, {1, 99, 64, 10, 1});
  conversations.heard(1, {1, 99, 64, 10, 1}); // it has moved
  conversations.heard(0, {1, 99, 64, 10, 0}); // what it said before that comes late
  conversations.heard(0, {2, 99, 64, 30, 1});
  const int number_of[] = {0, 1};
  PlacementProblem problem;
  ASSERT_TRUE(conversations.problem(number_of, 2, problem));
  ASSERT_EQ(problem.threads, 2u);
  for (uint32_t i = 0; i < 2; i++)
    EXPECT_EQ(problem.vertices[i].at, problem.vertices[i].thread == 1 ? 1 : 0);
  problem_free(problem);
}

TEST(Metis, LeavesRandomNumbersAndSignalsAlone) {
  if (const char *missing = metis_load())
    GTEST_SKIP() << missing;
  const auto handler = [](int) {};
  struct sigaction mine = {};
  mine.sa_handler = handler;
  mine.sa_flags = SA_RESTART | SA_ONSTACK;
  ASSERT_EQ(sigaction(SIGTERM, &mine, nullptr), 0);
  srand(7);
  const int expected = rand();
  srand(7);
  Rings rings(4, 16, 6, 100);
  rings.talk([](uint32_t, uint32_t at) { return static_cast<int>(at % 4); });
  PlacementProblem problem = rings.problem();
  std::vector<int32_t> part(problem.threads);
  EXPECT_TRUE(metis_partition(problem, part.data()));
  EXPECT_EQ(rand(), expected);
  struct sigaction now;
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &now), 0);
  EXPECT_EQ(now.sa_handler, mine.sa_handler);
  EXPECT_TRUE(now.sa_flags & SA_ONSTACK);
  problem_free(problem);
}
