// What decision makers decide, of one group and between groups.
#include "balance/decisions.h"

#include <gtest/gtest.h>
#include <vector>

using namespace skein;

namespace {

constexpr unsigned answer_periods = 8;

NodeSummary load(uint32_t hundredths) { return {hundredths, 0, {}}; }

/// Makers of equal groups, whose nodes all have a load that is said.
struct Groups {
  std::vector<Maker> makers;
  int size;

  Groups(int groups, int size_) : makers(static_cast<size_t>(groups)), size(size_) {
    for (int group = 0; group < groups; group++)
      EXPECT_TRUE(makers[static_cast<size_t>(group)].begin(
          group * size, (group + 1) * size, static_cast<uint32_t>(group), static_cast<uint32_t>(groups)));
  }
  ~Groups() {
    for (Maker &maker : makers)
      maker.end();
  }
  template <class Load> void hear(Load &&load_of) {
    for (size_t group = 0; group < makers.size(); group++) {
      for (int node = static_cast<int>(group) * size; node < static_cast<int>(group + 1) * size; node++)
        makers[group].summary(node, load(load_of(node)));
      makers[group].next_period(answer_periods);
    }
  }
  void exchange() {
    for (Maker &one : makers) {
      GroupDigest digest;
      ASSERT_TRUE(one.own_digest(digest));
      for (Maker &other : makers)
        other.digest(digest);
    }
  }
};

} // namespace

TEST(Decisions, WorkGoesFromMostToLeast) {
  Groups run(1, 4);
  Wish wish;
  run.makers[0].summary(0, load(900));
  EXPECT_FALSE(run.makers[0].within(wish)); // not all have told
  const uint32_t loads[] = {900, 100, 500, 0};
  run.hear([&](int node) { return loads[node]; });
  ASSERT_TRUE(run.makers[0].within(wish));
  EXPECT_EQ(wish.from, 0);
  EXPECT_EQ(wish.to, 3);
  EXPECT_EQ(wish.threads, 4u);
  EXPECT_EQ(wish.link_a, -1);
  EXPECT_FALSE(run.makers[0].within(wish)); // that one is under way
  run.makers[0].answered(wish, 4);
  run.hear([](int) { return 300u; });
  for (int period = 0; period < 8; period++)
    run.hear([](int) { return 300u; });
  EXPECT_FALSE(run.makers[0].within(wish)); // all are equal
}

TEST(Decisions, WhatIsNotAnsweredIsForgotten) {
  Groups run(1, 2);
  Wish wish;
  const auto uneven = [](int node) { return node ? 0u : 800u; };
  run.hear(uneven);
  ASSERT_TRUE(run.makers[0].within(wish));
  for (unsigned period = 0; period + 1 < answer_periods; period++) {
    run.hear(uneven);
    EXPECT_FALSE(run.makers[0].within(wish));
  }
  run.hear(uneven);
  EXPECT_TRUE(run.makers[0].within(wish));
}

TEST(Decisions, WhereNothingMovedTheNextRequestWaitsLonger) {
  Groups run(1, 2);
  Wish wish;
  const auto uneven = [](int node) { return node ? 0u : 800u; };
  for (unsigned waits : {2u, 4u, 8u}) {
    while (!run.makers[0].within(wish))
      run.hear(uneven);
    run.makers[0].answered(wish, 0);
    for (unsigned period = 0; period + 1 < waits; period++) {
      run.hear(uneven);
      EXPECT_FALSE(run.makers[0].within(wish)) << waits;
    }
    run.hear(uneven);
  }
}

TEST(Decisions, ABusyLinkIsMadeQuieter) {
  Groups run(1, 3);
  NodeSummary talks = {200, 1, {{2, 500}}};
  run.makers[0].summary(0, talks);
  run.makers[0].summary(1, load(200));
  run.makers[0].summary(2, load(100));
  run.makers[0].next_period(answer_periods);
  EXPECT_EQ(run.makers[0].link(0, 2), 500u);
  EXPECT_EQ(run.makers[0].link(2, 0), 500u);
  EXPECT_EQ(run.makers[0].link(0, 1), 0u);
  run.makers[0].next_period(answer_periods);
  Wish wish;
  ASSERT_TRUE(run.makers[0].within(wish));
  EXPECT_EQ(wish.from, 0);
  EXPECT_EQ(wish.to, 2);
  EXPECT_EQ(wish.threads, 1u);
  EXPECT_EQ(wish.link_a, 0);
  EXPECT_EQ(wish.link_b, 2);
}

TEST(Decisions, TheDeadAreNotAsked) {
  Groups run(1, 3);
  run.makers[0].summary(0, load(800));
  run.makers[0].summary(1, load(400));
  run.makers[0].forget(2);
  run.makers[0].next_period(answer_periods);
  Wish wish;
  ASSERT_TRUE(run.makers[0].within(wish)); // nothing is waited for
  EXPECT_EQ(wish.to, 1);
}

TEST(Decisions, ADigestHasThoseWithLeast) {
  Groups run(2, 6);
  const uint32_t loads[] = {500, 100, 900, 300, 0, 600};
  run.hear([&](int node) { return loads[node % 6]; });
  GroupDigest digest;
  ASSERT_TRUE(run.makers[1].own_digest(digest));
  EXPECT_EQ(digest.group, 1u);
  EXPECT_EQ(digest.nodes, 6u);
  EXPECT_EQ(digest.load_hundredths, 400u);
  const uint32_t least[] = {10, 7, 9, 6}, of[] = {0, 100, 300, 500};
  for (unsigned i = 0; i < digest_nodes; i++) {
    EXPECT_EQ(digest.least[i], least[i]);
    EXPECT_EQ(digest.loads_hundredths[i], of[i]);
  }
}

TEST(Decisions, GroupsGiveByRank) {
  // Means of 10, 6, 2, 0 threads: the first gives to the last, the second to the third.
  Groups run(4, 4);
  const uint32_t means[] = {1000, 600, 200, 0};
  run.hear([&](int node) { return means[node / 4] + static_cast<uint32_t>(node % 4); });
  run.exchange();
  Wish wishes[digest_nodes];
  ASSERT_EQ(run.makers[0].across(wishes), 4u);
  for (int i = 0; i < 4; i++) {
    EXPECT_EQ(wishes[i].from, 3 - i); // those with most, one after the other
    EXPECT_EQ(wishes[i].to, 12 + i);
    EXPECT_EQ(wishes[i].threads, 5u);
  }
  EXPECT_EQ(run.makers[0].across(wishes), 0u); // not again before it can have had an effect
  ASSERT_EQ(run.makers[1].across(wishes), 4u);
  EXPECT_EQ(wishes[0].to, 8);
  EXPECT_EQ(wishes[0].threads, 2u);
  EXPECT_EQ(run.makers[2].across(wishes), 0u);
  EXPECT_EQ(run.makers[3].across(wishes), 0u);
}

TEST(Decisions, OldDigestsAreNotUsed) {
  Groups run(2, 2);
  const auto uneven = [](int node) { return node < 2 ? 800u : 0u; };
  run.hear(uneven);
  run.exchange();
  for (unsigned period = 0; period < 3 * digest_periods; period++)
    run.hear(uneven);
  Wish wishes[digest_nodes];
  EXPECT_EQ(run.makers[0].across(wishes), 0u); // its maker may be dead
  run.exchange();
  EXPECT_EQ(run.makers[0].across(wishes), 2u);
}

TEST(Decisions, EqualGroupsLeaveEachOtherAlone) {
  Groups run(3, 4);
  run.hear([](int node) { return static_cast<uint32_t>(node % 4 * 100 + (node < 4) * 30); });
  run.exchange();
  Wish wishes[digest_nodes];
  for (Maker &maker : run.makers)
    EXPECT_EQ(maker.across(wishes), 0u);
}
