// Nodes that come to a running run, as the launcher sees them: who is told what, in which order, and what happens when
// one of them, or another one, ends in the middle.
#include "launch/run/changes.h"
#include "launch/run/child.h"
#include "launch/run/clock_ms.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>

using namespace skein::launch;
using skein::bootstrap::Packet;
using skein::bootstrap::Type;

namespace {

const char *name_of(Type type) {
  switch (type) {
  case Type::peer:
    return "peer";
  case Type::start:
    return "start";
  case Type::begin:
    return "begin";
  case Type::admit:
    return "admit";
  case Type::withdrawn:
    return "withdrawn";
  default:
    return "other";
  }
}

/// Writes down what nodes are sent, as "to 1: peer 2".
class FakeHost final : public Host {
public:
  std::vector<std::string> sent;
  std::vector<int> killed;
  bool given_up = false;

  void start(Launch) override {}
  void start_late(int) override {}
  void complete() override {}
  void send(int node, const void *packet, size_t) override {
    const auto &header = static_cast<const Packet *>(packet)->header;
    sent.push_back("to " + std::to_string(node) + ": " + name_of(header.type) + " " + std::to_string(header.node));
  }
  void signal(int node, int number) override {
    if (number == SIGKILL)
      killed.push_back(node);
  }
  void signal_all(int, bool) override {}
  void ending() override {}
  void give_up() override { given_up = true; }
  Vitals vitals(int) override { return {}; }
  void tick(uint64_t) override {}
  int due_ms(uint64_t) const override { return -1; }
  void finish() override {}
};

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
  void tell(uint64_t asker, News what, int node, const std::string &) override {
    const char *const words[] = {"progress", "came", "failed", "over"};
    if (what != News::progress)
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
  /// Ends the process of a node, as the launcher reports it. Returns whether that is a death.
  bool end(int number) {
    Node &node = nodes[static_cast<size_t>(number)];
    node.ended = true;
    if (changes.on_end(node, "was killed") || changes.on_death(node, "was killed"))
      return false;
    node.dead = true;
    return true;
  }

  FakeHost host;
  std::vector<Node> nodes;
  Lines asked, said, news;
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

TEST(Changes, WaitForTheBeginOfTheRun) {
  struct Owner final : ChangesOwner {
    void start_late(const std::string &) override { started++; }
    void say(const std::string &) override {}
    void tell(uint64_t, News, int, const std::string &) override {}
    int started = 0;
  } owner;
  std::vector<Node> nodes(1);
  Changes changes(nodes, owner);
  changes.settle(2, 0);
  EXPECT_EQ(changes.add(1, 1, ""), "");
  EXPECT_EQ(owner.started, 0);
  changes.begin();
  EXPECT_EQ(owner.started, 1);
  EXPECT_EQ(changes.due_ms(0), -1);
}

} // namespace
