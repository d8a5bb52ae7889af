// Nodes that come to a running run or leave it, as the launcher sees them: who is told what, in which order, and what
// happens when one of them, or another one, ends in the middle.
#include "launch/run/changes.h"
#include "launch/run/child.h"
#include "launch/run/clock_ms.h"

#include "fake_host.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>

using namespace skein::launch;
using skein::bootstrap::Packet;
using skein::bootstrap::Type;

namespace {

using Lines = std::vector<std::string>;

/// A run of three nodes that may have six, and has begun.
class ChangesTest : public ::testing::Test, ChangesOwner {
protected:
  ChangesTest() {
    nodes.reserve(6);
    for (int i = 0; i < 3; i++)
      new_node();
    changes.settle(6, 60);
    changes.begin();
  }

  Node &new_node() {
    Node &node = nodes.emplace_back();
    node.number = static_cast<int>(nodes.size()) - 1;
    node.host = &host;
    node.begun = true;
    return node;
  }
  void start_late(const std::string &where) override {
    asked.push_back(where);
    if (!refuses.empty())
      return changes.cannot_start(refuses);
    if (starts)
      changes.started(new_node());
  }
  void say(const std::string &text) override { said.push_back(text); }
  void tell(uint64_t asker, News what, int node, const std::string &text) override {
    const char *const words[] = {"progress", "came", "left", "kept", "failed", "over"};
    if (what == News::progress)
      progress.push_back(std::to_string(asker) + ": " + std::to_string(node) + " " + text);
    else
      news.push_back(std::to_string(asker) + ": " + words[static_cast<int>(what)] + " " + std::to_string(node));
  }

  bool hear(int from, Type type, int about = 0, int status = 0, const std::string &text = "") {
    Packet packet;
    packet.header = {.type = type, .node = about, .status = status};
    memcpy(packet.bytes, text.data(), text.size());
    return changes.on_packet(nodes[static_cast<size_t>(from)], packet, text.size());
  }
  /// What was sent since the last call.
  Lines sent() { return std::exchange(host.sent, {}); }
  /// A node with number 3 is started, and has come as far as that; what was sent is forgotten.
  void come_to(Type last) {
    EXPECT_EQ(changes.add(7, 1, ""), "");
    for (const Type type : {Type::address, Type::met, Type::admitted}) {
      EXPECT_TRUE(hear(type == Type::admitted ? 0 : 3, type, 3));
      if (type == last)
        break;
    }
    sent();
  }
  /// Node 2 is to leave, and has come as far as that stage; what was sent is forgotten.
  void leave_to(Type last) {
    EXPECT_EQ(changes.drain(7, {2}), "");
    for (const Type type : {Type::drain, Type::drained, Type::handed_over, Type::departed, Type::end}) {
      if (type == Type::departed)
        hear(0, type, 2);
      else if (type == Type::end)
        hear(1, Type::departed, 2);
      else if (type != Type::drain)
        hear(2, type, 2);
      if (type == last)
        break;
    }
    sent();
  }
  /// Ends the process of a node, as the launcher reports it. Returns whether that is a death.
  bool end(int number, bool well = false) {
    Node &node = nodes[static_cast<size_t>(number)];
    node.ended = true;
    if (changes.on_end(node, "was killed", well) || changes.on_death(node, "was killed"))
      return false;
    node.dead = true;
    return true;
  }

  FakeHost host;
  std::vector<Node> nodes;
  Lines asked, said, news, progress;
  std::string refuses; // why no node can be started
  bool starts = true;
  Changes changes{nodes, *this};
};

TEST_F(ChangesTest, ANodeComes) {
  EXPECT_EQ(changes.add(7, 1, ""), "");
  EXPECT_EQ(sent(), Lines());
  EXPECT_TRUE(hear(3, Type::address, 3));
  EXPECT_EQ(sent(), (Lines{"to 3: peer 0", "to 0: peer 3", "to 3: peer 1", "to 1: peer 3", "to 3: peer 2",
                           "to 2: peer 3", "to 3: start 0"}));
  EXPECT_TRUE(hear(3, Type::met));
  EXPECT_EQ(sent(), Lines{"to 0: admit 3"});
  EXPECT_FALSE(nodes[3].standing == Standing::coming);
  EXPECT_TRUE(hear(0, Type::admitted, 3));
  EXPECT_EQ(sent(), (Lines{"to 1: admit 3", "to 2: admit 3", "to 3: begin 0"}));
  EXPECT_EQ(news, Lines{"7: came 3"});
  EXPECT_TRUE(nodes[3].is_there());
  EXPECT_EQ(said, Lines());
}

TEST_F(ChangesTest, OneAtATime) {
  EXPECT_EQ(changes.add(7, 2, ""), "");
  EXPECT_EQ(changes.add(8, 1, ""), "");
  for (int node = 3; node < 6; node++) {
    EXPECT_EQ(nodes.size(), static_cast<size_t>(node) + 1);
    hear(node, Type::address, node);
    hear(node, Type::met);
    hear(0, Type::admitted, node);
  }
  EXPECT_EQ(news, (Lines{"7: came 3", "7: came 4", "8: came 5"}));
  EXPECT_NE(changes.add(8, 1, "").find("no number left for another node: it was started for at most 6 (--max-nodes)"),
            std::string::npos);
}

TEST_F(ChangesTest, NumbersAreCountedWithThoseThatWait) {
  EXPECT_EQ(changes.add(7, 2, ""), "");
  EXPECT_EQ(changes.add(8, 2, ""),
            "the run has numbers left for 1 more, not for 2: it was started for at most 6 (--max-nodes)");
  EXPECT_EQ(changes.add(8, 1, ""), "");
  EXPECT_NE(changes.add(8, 1, ""), "");
}

TEST_F(ChangesTest, ANodeThatEndsBeforeItWasIntroducedIsNewsToNobody) {
  EXPECT_EQ(changes.add(7, 1, ""), "");
  EXPECT_FALSE(end(3));
  EXPECT_EQ(sent(), Lines());
  EXPECT_EQ(news, Lines{"7: failed 3"});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "node 3 was killed; the run goes on without it");
}

TEST_F(ChangesTest, ANodeThatEndsBeforeItIsAdmittedIsWithdrawn) {
  come_to(Type::address);
  EXPECT_FALSE(end(3));
  EXPECT_EQ(sent(), (Lines{"to 0: withdrawn 3", "to 1: withdrawn 3", "to 2: withdrawn 3"}));
  EXPECT_EQ(news, Lines{"7: failed 3"});
  EXPECT_TRUE(hear(3, Type::met)); // what it had said is not heard any more
  EXPECT_EQ(sent(), Lines());
}

TEST_F(ChangesTest, ANodeThatEndsAfterThatIsDeadAndAllHaveHeardTheSame) {
  come_to(Type::met);
  EXPECT_TRUE(end(3));
  EXPECT_EQ(sent(), (Lines{"to 1: admit 3", "to 2: admit 3"}));
  EXPECT_EQ(news, Lines{"7: failed 3"});
  EXPECT_TRUE(hear(0, Type::admitted, 3)); // on its way
  EXPECT_EQ(sent(), Lines());
}

TEST_F(ChangesTest, AnotherNodeDiesMeanwhile) {
  EXPECT_EQ(changes.add(7, 1, ""), "");
  EXPECT_TRUE(end(1));
  hear(3, Type::address, 3);
  EXPECT_EQ(sent(), (Lines{"to 3: peer 0", "to 0: peer 3", "to 3: peer 2", "to 2: peer 3", "to 3: start 0"}));
  EXPECT_TRUE(nodes[3].hears_of_others());
  EXPECT_TRUE(end(2));
  hear(3, Type::met);
  hear(0, Type::admitted, 3);
  EXPECT_EQ(sent(), (Lines{"to 0: admit 3", "to 3: begin 0"}));
  EXPECT_EQ(news, Lines{"7: came 3"});
}

TEST_F(ChangesTest, OnlyThoseThatKnowTheOthersHearOfThem) {
  EXPECT_EQ(changes.add(7, 1, ""), "");
  EXPECT_FALSE(nodes[3].hears_of_others());
  hear(3, Type::address, 3);
  EXPECT_TRUE(nodes[3].hears_of_others());
  end(3);
  EXPECT_FALSE(nodes[3].hears_of_others());
}

TEST_F(ChangesTest, ANodeThatDoesNotComeInTimeIsGivenUp) {
  const uint64_t now = clock_ms();
  come_to(Type::address);
  EXPECT_GT(changes.due_ms(now), 50000);
  changes.tick(now + 50000);
  EXPECT_EQ(news, Lines());
  changes.tick(now + 61000);
  EXPECT_EQ(news, Lines{"7: failed 3"});
  EXPECT_EQ(host.killed, std::vector<int>{3});
  EXPECT_EQ(sent().size(), 3u);
  EXPECT_NE(said[0].find("has not met all others within 60 s (SKEIN_OPTIONS=start_s=)"), std::string::npos);
  EXPECT_EQ(changes.due_ms(now), -1);
  EXPECT_FALSE(end(3));
  EXPECT_EQ(news.size(), 1u);
}

TEST_F(ChangesTest, ANodeThatWasNeverForkedIsGivenUp) {
  EXPECT_EQ(changes.add(7, 1, ""), "");
  nodes[3].begun = false;
  changes.tick(clock_ms() + 61000);
  EXPECT_TRUE(host.given_up);
  EXPECT_NE(said[0].find("has not been forked"), std::string::npos);
}

TEST_F(ChangesTest, WhatCannotBeStartedEndsTheWholeRequest) {
  refuses = "there is no memory";
  EXPECT_EQ(changes.add(7, 2, ""), "");
  EXPECT_EQ(changes.add(8, 1, ""), "");
  EXPECT_EQ(news, (Lines{"7: failed -1", "7: failed -1", "8: failed -1"}));
  EXPECT_EQ(asked.size(), 2u);
  refuses.clear();
  EXPECT_EQ(changes.add(9, 3, ""), ""); // no number was used
}

TEST_F(ChangesTest, WhoGoesTakesBackWhatIsNotDone) {
  EXPECT_EQ(changes.add(7, 2, ""), "");
  hear(3, Type::address, 3);
  sent();
  changes.cancel(7);
  EXPECT_EQ(host.killed, std::vector<int>{3});
  EXPECT_EQ(sent().size(), 3u);
  EXPECT_EQ(nodes.size(), 4u);
}

TEST_F(ChangesTest, WhatIsAdmittedStays) {
  come_to(Type::met);
  changes.cancel(7);
  EXPECT_EQ(host.killed, std::vector<int>());
  hear(0, Type::admitted, 3);
  EXPECT_EQ(sent().size(), 3u);
}

TEST_F(ChangesTest, ADamagedNodeDoesNotGetIn) {
  come_to(Type::address);
  EXPECT_TRUE(hear(3, Type::rejects, 1, 0, "is not what it should be"));
  EXPECT_EQ(news, Lines{"7: failed 3"});
  EXPECT_TRUE(nodes[1].is_there());
  EXPECT_NE(said[0].find("has rejected node 1, which is not what it should be"), std::string::npos);
}

TEST_F(ChangesTest, WhomAnotherNodeRejectsDoesNotGetIn) {
  come_to(Type::address);
  EXPECT_TRUE(changes.on_death(nodes[3], "has sent what cannot be"));
  EXPECT_EQ(sent().size(), 3u);
  EXPECT_EQ(news, Lines{"7: failed 3"});
}

TEST_F(ChangesTest, TheEndOfTheRunIsTheEndOfWhatComes) {
  come_to(Type::met);
  EXPECT_EQ(changes.add(8, 1, ""), "");
  changes.over();
  changes.over();
  EXPECT_EQ(host.killed, std::vector<int>{3});
  EXPECT_EQ(news, (Lines{"7: over 3", "8: over -1"}));
  EXPECT_FALSE(end(3));
  EXPECT_EQ(changes.add(7, 1, ""), "the run is over");
  EXPECT_TRUE(hear(0, Type::admitted, 3));
  EXPECT_EQ(sent(), Lines());
}

TEST_F(ChangesTest, ARunThatWasAskedToEndLetsNobodyIn) {
  come_to(Type::address);
  EXPECT_EQ(changes.add(8, 1, ""), "");
  changes.close("it ends");
  EXPECT_EQ(news, (Lines{"8: failed -1", "7: failed 3"}));
  EXPECT_EQ(changes.add(8, 1, ""), "it ends");
}

TEST_F(ChangesTest, PacketsOutOfTurnChangeNothing) {
  EXPECT_TRUE(hear(0, Type::admitted, 3));
  EXPECT_FALSE(hear(1, Type::met));
  EXPECT_FALSE(hear(1, Type::done));
  EXPECT_EQ(changes.add(7, 1, ""), "");
  EXPECT_TRUE(hear(3, Type::met)); // before it has met anybody
  EXPECT_TRUE(hear(3, Type::finish));
  EXPECT_TRUE(hear(0, Type::admitted, 3));
  EXPECT_EQ(sent(), Lines());
  hear(3, Type::address, 3);
  sent();
  EXPECT_TRUE(hear(0, Type::admitted, 3));
  EXPECT_TRUE(hear(3, Type::address, 3));
  EXPECT_EQ(sent(), Lines());
  hear(3, Type::met);
  EXPECT_TRUE(hear(1, Type::admitted, 3)); // that is for node 0 to say
  EXPECT_EQ(sent(), Lines{"to 0: admit 3"});
}

TEST_F(ChangesTest, ANodeLeaves) {
  EXPECT_EQ(changes.drain(7, {2}), "");
  EXPECT_EQ(sent(), (Lines{"to 0: drain 2 1", "to 1: drain 2 1", "to 2: drain 2 1"}));
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves");
  EXPECT_EQ(changes.leaving(nodes[1]), "");
  EXPECT_TRUE(hear(2, Type::draining, 2, 3, "has 3 threads"));
  EXPECT_TRUE(hear(2, Type::draining, 2, 3, "has 3 threads"));
  EXPECT_TRUE(hear(2, Type::draining, 2, 1));
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves: it is kept by 1 things");
  EXPECT_EQ(sent(), Lines());
  EXPECT_TRUE(hear(2, Type::drained, 2));
  EXPECT_EQ(sent(), (Lines{"to 0: part 2", "to 1: part 2"}));
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves");
  EXPECT_TRUE(hear(2, Type::handed_over, 2));
  EXPECT_EQ(sent(), Lines{"to 0: departed 2"});
  EXPECT_TRUE(hear(0, Type::departed, 2));
  EXPECT_EQ(sent(), Lines{"to 1: departed 2"});
  EXPECT_TRUE(nodes[2].is_there());
  EXPECT_TRUE(hear(1, Type::departed, 2));
  EXPECT_EQ(sent(), Lines{"to 2: end 0"});
  EXPECT_FALSE(nodes[2].is_there());
  EXPECT_FALSE(nodes[2].hears_of_others());
  EXPECT_TRUE(hear(2, Type::done));
  EXPECT_EQ(sent(), Lines{"to 2: leave 0"});
  EXPECT_EQ(news, Lines());
  EXPECT_FALSE(end(2, true));
  EXPECT_EQ(news, Lines{"7: left 2"});
  EXPECT_EQ(said, Lines{"node 2 has left the run"});
  EXPECT_EQ(progress, (Lines{"7: 2 is to leave", "7: 2 stays for now: it has 3 threads",
                             "7: 2 stays for now: it is kept by 1 things", "7: 2 takes leave of the others"}));
  EXPECT_EQ(changes.drain(7, {2}), "node 2 has left already");
  EXPECT_EQ(host.killed, std::vector<int>());
}

TEST_F(ChangesTest, TheLastOneLeavesNodeZeroAlone) {
  end(1);
  leave_to(Type::handed_over);
  EXPECT_TRUE(hear(0, Type::departed, 2));
  EXPECT_EQ(sent(), Lines{"to 2: end 0"});
}

TEST_F(ChangesTest, SomeNodesCannotLeave) {
  EXPECT_EQ(changes.drain(7, {0}), "node 0 cannot leave: it leads the run, and keeps what other nodes leave behind");
  EXPECT_EQ(changes.drain(7, {3}), "there is no node 3: `skein node list` lists those that there are");
  EXPECT_NE(changes.drain(7, {-1}), "");
  EXPECT_EQ(changes.drain(7, {2, 1, 2}), "node 2 is named twice");
  end(2);
  EXPECT_EQ(changes.drain(7, {1, 2}), "node 2 is dead: nothing is left there that could go elsewhere");
  EXPECT_EQ(sent(), Lines());
  EXPECT_EQ(changes.drain(7, {1}), "");
  EXPECT_EQ(changes.drain(8, {1}), "node 1 is to leave already: `skein node list` says what keeps it");
  EXPECT_EQ(changes.add(8, 1, ""), "");
  changes.cancel(7);
  EXPECT_EQ(changes.drain(7, {3}), "node 3 has not joined the run yet, and can leave only when it has");
  end(3);
  EXPECT_EQ(changes.drain(7, {3}), "node 3 did not come");
}

TEST_F(ChangesTest, ComingsAndLeavingsAreInOneQueue) {
  EXPECT_EQ(changes.drain(7, {2, 1}), "");
  hear(2, Type::draining, 2, 1, "has a window");
  EXPECT_EQ(changes.add(8, 1, ""), "");
  EXPECT_EQ(changes.leaving(nodes[1]), "is to leave");
  EXPECT_EQ(progress.back(), "8: -1 waits for node 2 to leave: it has a window");
  hear(2, Type::draining, 2, 1, "has a door");
  EXPECT_EQ(progress.back(), "8: -1 waits for node 2 to leave: it has a door");
  hear(2, Type::drained, 2);
  hear(2, Type::handed_over, 2);
  hear(0, Type::departed, 2);
  hear(1, Type::departed, 2);
  sent();
  EXPECT_FALSE(end(2, true));
  EXPECT_EQ(sent(), (Lines{"to 0: drain 1 1", "to 1: drain 1 1"}));
  EXPECT_EQ(progress.back(), "8: -1 waits for node 1 to leave");
  hear(1, Type::drained, 1);
  hear(1, Type::handed_over, 1);
  EXPECT_EQ(asked, Lines());
  sent();
  hear(0, Type::departed, 1);
  EXPECT_EQ(sent(), Lines{"to 1: end 0"});
  EXPECT_FALSE(end(1, true));
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_EQ(news, (Lines{"7: left 2", "7: left 1"}));
  // Who comes later hears of those that have left.
  hear(3, Type::address, 3);
  EXPECT_EQ(sent(), (Lines{"to 3: peer 0", "to 0: peer 3", "to 3: departed 1", "to 3: departed 2", "to 3: start 0"}));
  hear(3, Type::met);
  hear(0, Type::admitted, 3);
  EXPECT_EQ(news.back(), "8: came 3");
  EXPECT_EQ(changes.add(8, 3, ""),
            "the run has numbers left for 2 more, not for 3: it was started for at most 6 (--max-nodes)");
}

TEST_F(ChangesTest, ADrainIsTakenBack) {
  EXPECT_EQ(changes.drain(7, {2, 1}), "");
  sent();
  changes.cancel(7);
  EXPECT_EQ(sent(), (Lines{"to 0: drain 2 0", "to 1: drain 2 0", "to 2: drain 2 0", "to 2: ping 0"}));
  EXPECT_EQ(changes.leaving(nodes[1]) + changes.leaving(nodes[2]), "");
  EXPECT_EQ(host.killed, std::vector<int>());
  EXPECT_TRUE(hear(2, Type::drained, 2)); // on its way
  EXPECT_EQ(sent(), Lines());
  EXPECT_TRUE(nodes[2].is_there());
}

TEST_F(ChangesTest, WhatANodeHasSaidBeforeItWasToStayIsOld) {
  nodes[2].ping(); // not answered yet
  leave_to(Type::drain);
  changes.cancel(7);
  EXPECT_EQ(changes.drain(8, {2}), "");
  sent();
  EXPECT_TRUE(hear(2, Type::draining, 2, 1, "is old"));
  EXPECT_TRUE(hear(2, Type::drained, 2));
  nodes[2].answers_ping();
  EXPECT_TRUE(hear(2, Type::drained, 2));
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves");
  EXPECT_EQ(sent(), Lines());
  nodes[2].answers_ping();
  EXPECT_TRUE(hear(2, Type::drained, 2));
  EXPECT_EQ(sent(), (Lines{"to 0: part 2", "to 1: part 2"}));
}

/// A node that leaves has come as far as that.
class AtEachStage : public ChangesTest, public ::testing::WithParamInterface<Type> {};
INSTANTIATE_TEST_SUITE_P(, AtEachStage,
                         ::testing::Values(Type::drain, Type::drained, Type::handed_over, Type::departed),
                         [](const auto &type) { return std::string("after_") + name_of(type.param); });

TEST_P(AtEachStage, WhatHasPartedLeaves) {
  leave_to(GetParam());
  changes.cancel(7);
  changes.close("it ends");
  EXPECT_EQ(sent().size(), GetParam() == Type::drain ? 4u : 0u);
  EXPECT_EQ(changes.leaving(nodes[2]), GetParam() == Type::drain ? "" : "leaves");
}

TEST_P(AtEachStage, ANodeThatDiesBeforeItHasLeftIsDead) {
  const Type type = GetParam();
  leave_to(type);
  EXPECT_EQ(changes.drain(8, {1}), "");
  EXPECT_TRUE(end(2));
  const Lines told = sent();
  // The others hear the same as node 0.
  EXPECT_EQ(std::count(told.begin(), told.end(), "to 1: departed 2"), type == Type::handed_over);
  EXPECT_EQ(told.back(), "to 1: drain 1 1");
  EXPECT_EQ(news, Lines{"7: failed 2"});
  EXPECT_EQ(nodes[2].departed, type == Type::handed_over || type == Type::departed);
  EXPECT_TRUE(hear(0, Type::departed, 2)); // on its way
  EXPECT_EQ(sent(), Lines());
}

TEST_F(ChangesTest, HowTheProcessOfANodeEndsThatHasLeftIsOnlyTold) {
  leave_to(Type::end);
  EXPECT_FALSE(end(2));
  EXPECT_EQ(news, Lines{"7: left 2"});
  EXPECT_EQ(said, Lines{"node 2 has left the run; its process was killed"});
}

TEST_F(ChangesTest, ANodeThatHasLeftAndDoesNotEndIsKilled) {
  const uint64_t now = clock_ms();
  leave_to(Type::departed);
  EXPECT_EQ(changes.due_ms(now), -1);
  hear(1, Type::departed, 2);
  EXPECT_GT(changes.due_ms(now), 1000);
  changes.tick(now + 1000);
  EXPECT_EQ(host.killed, std::vector<int>());
  changes.tick(now + grace_ms + 1000);
  EXPECT_EQ(host.killed, std::vector<int>{2});
  EXPECT_EQ(said, Lines{"node 2 has left the run, but does not end, and is killed"});
  EXPECT_EQ(changes.due_ms(now), -1);
}

TEST_P(AtEachStage, NobodyWaitsForTheAnswerOfTheDead) {
  const Type type = GetParam();
  leave_to(type);
  EXPECT_TRUE(end(1));
  for (const Type next : {Type::drained, Type::handed_over, Type::departed})
    if (next > type)
      hear(next == Type::departed ? 0 : 2, next, 2);
  const Lines told = sent();
  EXPECT_EQ(told.back(), "to 2: end 0");
  EXPECT_EQ(std::count(told.begin(), told.end(), "to 1: departed 2"), 0);
  EXPECT_FALSE(end(2, true));
  EXPECT_EQ(news, Lines{"7: left 2"});
}

TEST_F(ChangesTest, ANodeDiesBeforeItsTurnToLeave) {
  EXPECT_EQ(changes.drain(7, {2}), "");
  EXPECT_EQ(changes.drain(8, {1}), "");
  EXPECT_TRUE(end(1));
  EXPECT_EQ(news, Lines{"8: failed 1"});
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves");
  EXPECT_TRUE(end(2));
  EXPECT_EQ(news, (Lines{"8: failed 1", "7: failed 2"}));
}

TEST_F(ChangesTest, OneThatFailsToLeaveKeepsNoOtherHere) {
  EXPECT_EQ(changes.drain(7, {2, 1}), "");
  EXPECT_TRUE(end(2));
  EXPECT_EQ(changes.leaving(nodes[1]), "leaves");
}

TEST_F(ChangesTest, TheEndOfTheRunIsNoNewsForWhatHasLeft) {
  leave_to(Type::end);
  EXPECT_EQ(changes.drain(8, {1}), "");
  changes.over();
  EXPECT_EQ(news, (Lines{"7: left 2", "8: over 1"}));
  EXPECT_TRUE(hear(2, Type::done));
  EXPECT_EQ(sent(), Lines{"to 2: leave 0"});
  EXPECT_FALSE(end(2));
  EXPECT_EQ(news.size(), 2u);
  EXPECT_EQ(said, Lines());
  EXPECT_EQ(changes.drain(8, {1}), "the run is over");
}

TEST_F(ChangesTest, TheEndOfTheRunIsForAllThatHaveNotLeft) {
  leave_to(Type::departed);
  changes.over();
  EXPECT_EQ(news, Lines{"7: over 2"});
  EXPECT_EQ(nodes[2].standing, Standing::member);
  EXPECT_EQ(host.killed, std::vector<int>());
  EXPECT_TRUE(hear(1, Type::departed, 2));
  EXPECT_FALSE(hear(2, Type::done)); // the launcher's matter
  EXPECT_EQ(sent(), Lines());
}

TEST_F(ChangesTest, ARunThatWasAskedToEndLetsNobodyGo) {
  EXPECT_EQ(changes.drain(7, {2, 1}), "");
  sent();
  changes.close("it ends");
  EXPECT_EQ(news, (Lines{"7: failed 1", "7: failed 2"}));
  EXPECT_EQ(sent(), (Lines{"to 0: drain 2 0", "to 1: drain 2 0", "to 2: drain 2 0", "to 2: ping 0"}));
  EXPECT_EQ(changes.drain(7, {2}), "it ends");
}

TEST_F(ChangesTest, PacketsOutOfTurnMakeNobodyLeave) {
  EXPECT_TRUE(hear(2, Type::drained, 2)); // nobody has asked
  leave_to(Type::drain);
  EXPECT_TRUE(hear(1, Type::drained, 2)); // that is for node 2 to say
  EXPECT_TRUE(hear(1, Type::draining, 2, 1, "is somebody else"));
  EXPECT_TRUE(hear(2, Type::drained, 1));
  EXPECT_TRUE(hear(2, Type::handed_over, 2));
  EXPECT_TRUE(hear(0, Type::departed, 2));
  EXPECT_EQ(sent(), Lines());
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves");
  hear(2, Type::drained, 2);
  sent();
  EXPECT_TRUE(hear(2, Type::drained, 2));
  EXPECT_TRUE(hear(1, Type::handed_over, 2));
  EXPECT_TRUE(hear(0, Type::departed, 2));
  EXPECT_EQ(sent(), Lines());
  hear(2, Type::handed_over, 2);
  sent();
  EXPECT_TRUE(hear(1, Type::departed, 2)); // it was not told yet
  EXPECT_EQ(sent(), Lines());
  hear(0, Type::departed, 2);
  sent();
  EXPECT_TRUE(hear(0, Type::departed, 2)); // again
  EXPECT_EQ(sent(), Lines());
  EXPECT_TRUE(nodes[2].is_there());
}

TEST_F(ChangesTest, TheProgramWantsFewer) {
  EXPECT_EQ(changes.want(3), "");
  EXPECT_EQ(sent(), Lines());
  EXPECT_EQ(changes.want(1), "");
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves");
  EXPECT_EQ(changes.leaving(nodes[1]), "is to leave");
  EXPECT_EQ(changes.want(1), "");
  // Its last word counts: what is not done yet is taken back, the last one first.
  EXPECT_EQ(changes.want(2), "");
  EXPECT_EQ(changes.leaving(nodes[1]), "");
  EXPECT_EQ(changes.leaving(nodes[2]), "leaves");
  EXPECT_EQ(changes.want(5), "");
  EXPECT_EQ(changes.leaving(nodes[2]), "");
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_EQ(changes.numbers_taken(), 5);
  EXPECT_EQ(changes.want(4), "");
  EXPECT_EQ(changes.numbers_taken(), 4);
  EXPECT_EQ(changes.leaving(nodes[2]), "");
}

TEST_F(ChangesTest, TheProgramWantsNodesWhenOthersHaveLeft) {
  leave_to(Type::end);
  end(2, true);
  EXPECT_EQ(changes.want(2), "");
  EXPECT_EQ(asked.size(), 0u);
  EXPECT_EQ(changes.want(6),
            "the run has numbers left for 3 more, not for 4: it was started for at most 6 (--max-nodes)");
  EXPECT_EQ(changes.numbers_taken(), 6);
  EXPECT_EQ(changes.want(6), "the run has no number left for another node: it was started for at most 6 (--max-nodes)");
}

TEST_F(ChangesTest, TheProgramWantsWhatOthersHaveAskedForToo) {
  EXPECT_EQ(changes.add(7, 2, ""), "");
  EXPECT_EQ(changes.want(5), "");
  EXPECT_EQ(changes.numbers_taken(), 5);
  EXPECT_EQ(changes.want(4), ""); // the two that come stay
  EXPECT_EQ(changes.numbers_taken(), 5);
  EXPECT_EQ(changes.leaving(nodes[2]), "is to leave");
  EXPECT_EQ(changes.leaving(nodes[1]), "");
}

TEST(Changes, WaitForTheBeginOfTheRun) {
  struct Owner final : ChangesOwner {
    void start_late(const std::string &) override { started++; }
    void say(const std::string &) override {}
    void tell(uint64_t, News, int, const std::string &) override {}
    int started = 0;
  } owner;
  std::vector<Node> nodes(2);
  Changes changes(nodes, owner);
  changes.settle(3, 0);
  EXPECT_EQ(changes.add(1, 1, ""), "");
  EXPECT_EQ(owner.started, 0);
  EXPECT_EQ(changes.drain(1, {1}), "the run has not begun, and nodes can leave only when it has");
  changes.begin();
  EXPECT_EQ(owner.started, 1);
  EXPECT_EQ(changes.due_ms(0), -1);
}

} // namespace
