// Checkpoints as the launcher sees them: who is told what, in which order, and that every node that was told to halt is
// told to go on, whatever happens. Also what lies in the folder, and what is held of the output.
#include "launch/run/checkpoints.h"
#include "launch/command/command.h"
#include "launch/run/checkpoint_folder.h"
#include "launch/run/child.h"
#include "launch/run/clock_ms.h"
#include "launch/run/disk.h"
#include "launch/run/held_output.h"
#include "launch/run/placement.h"

#include "fake_host.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace skein::launch;
using skein::bootstrap::Counts;
using skein::bootstrap::Packet;
using skein::bootstrap::Type;

// Nothing is a copy of a node here, so nobody looks into one.
std::string skein::launch::checkpoint_library() { return ""; }

namespace {

using Lines = std::vector<std::string>;

/// A run of three nodes that makes checkpoints, from number 5 on, and has begun.
class CheckpointsTest : public ::testing::Test, ChangesOwner, CheckpointsOwner {
protected:
  CheckpointsTest() {
    nodes.reserve(6);
    for (int i = 0; i < 3; i++) {
      Node &node = nodes.emplace_back();
      node.number = i;
      node.host = &host;
      node.begun = true;
    }
    changes.settle(6, 60);
    changes.begin();
    checkpoints.settle(4, 0, 60, 0);
    checkpoints.begin(now);
  }

  void start_late(const std::string &where) override { asked.push_back(where); }
  void say(const std::string &text) override { said.push_back(text); }
  void tell(uint64_t asker, News what, int node, const std::string &) override {
    const char *const words[] = {"progress", "came", "left", "kept", "failed", "over"};
    if (what != News::progress)
      news.push_back(std::to_string(asker) + ": " + words[static_cast<int>(what)] + " " + std::to_string(node));
  }
  std::string begin_checkpoint(int number) override {
    if (!no_folder.empty())
      throw no_folder;
    steps.push_back("begin " + std::to_string(number));
    return "DIR/" + std::to_string(number) + ".part";
  }
  bool spread_checkpoint(const Checkpoint &checkpoint) override {
    if (spreads)
      steps.push_back("spread " + std::to_string(checkpoint.number));
    return !spreads;
  }
  void has_cut() override { steps.emplace_back("cut"); }
  void complete_checkpoint(Checkpoint &checkpoint) override {
    if (!incomplete.empty())
      throw incomplete;
    steps.push_back("complete " + std::to_string(checkpoint.number) + " of " + std::to_string(checkpoint.nodes.size()));
  }
  void drop_checkpoint(int number) override { steps.push_back("drop " + std::to_string(number)); }

  bool hear(int from, Type type, int number, int status = 0, const std::string &text = "") {
    Packet packet;
    packet.header = {.type = type, .node = number, .status = status};
    memcpy(packet.bytes, text.data(), text.size());
    return checkpoints.on_packet(nodes[static_cast<size_t>(from)], packet, text.size());
  }
  void halted(int from, int number, uint64_t sent_so_far, uint64_t handled) {
    const Counts counts = {sent_so_far, handled};
    hear(from, Type::halted, number, 0, {reinterpret_cast<const char *>(&counts), sizeof counts});
  }
  void all_halted(int number, uint64_t sent_so_far = 10, uint64_t handled = 10) {
    for (const Node &node : nodes)
      if (node.is_there())
        halted(node.number, number, sent_so_far, handled);
  }
  void all(Type type, int number) {
    for (const Node &node : nodes)
      if (node.is_there())
        hear(node.number, type, number);
  }
  void die(int number) {
    nodes[static_cast<size_t>(number)].dead = true;
    checkpoints.on_death(nodes[static_cast<size_t>(number)], "died");
  }
  /// Time passes.
  void pass(uint64_t ms) {
    now += ms;
    checkpoints.tick(now);
  }
  void ask(uint64_t asker) {
    EXPECT_EQ(checkpoints.ask(asker), "");
    pass(0);
  }
  /// A checkpoint that was asked for has come to that stage; what was sent is forgotten.
  void come_to(Type last, int number = 5) {
    for (const Type type : {Type::halt, Type::cut, Type::go_on, Type::kept}) {
      if (type == Type::cut) {
        all_halted(number);
        all_halted(number);
      } else if (type == Type::go_on) {
        all(Type::copied, number);
      } else if (type == Type::kept) {
        all(Type::written, number);
      }
      if (type == last)
        break;
    }
    sent();
  }
  Lines sent() { return std::exchange(host.sent, {}); }
  static Lines to_all(const std::string &packet) { return {"to 0: " + packet, "to 1: " + packet, "to 2: " + packet}; }

  uint64_t now = clock_ms();
  FakeHost host;
  std::vector<Node> nodes;
  Changes changes{nodes, *this};
  Checkpoints checkpoints{nodes, changes, *this};
  Lines asked, said, news, steps;
  std::string no_folder, incomplete;
  bool spreads = false; // copies have to be brought to other hosts
};

} // namespace

TEST_F(CheckpointsTest, IsMadeStepByStep) {
  ask(7);
  EXPECT_EQ(sent(), to_all("halt 5"));
  all_halted(5);
  EXPECT_EQ(sent(), to_all("count 5"));
  all_halted(5);
  EXPECT_EQ(sent(), to_all("cut 5"));
  hear(0, Type::copied, 5);
  hear(0, Type::written, 5);
  hear(1, Type::copied, 5);
  EXPECT_EQ(sent(), Lines());
  hear(2, Type::copied, 5);
  EXPECT_EQ(sent(), to_all("go_on 5"));
  hear(1, Type::written, 5);
  EXPECT_EQ(news, Lines());
  hear(2, Type::written, 5);
  EXPECT_EQ(sent(), to_all("kept 5"));
  EXPECT_EQ(news, Lines{"7: kept 5"});
  EXPECT_EQ(steps, (Lines{"begin 5", "cut", "complete 5 of 3"}));
  EXPECT_EQ(checkpoints.last().number, 5);
  pass(1000000);
  EXPECT_EQ(sent(), Lines());
}

TEST_F(CheckpointsTest, NoMessageIsUnderWay) {
  ask(7);
  sent();
  halted(0, 5, 100, 90);
  halted(1, 5, 50, 40);
  halted(2, 5, 0, 10); // 150 sent, 140 handled
  EXPECT_EQ(sent(), to_all("count 5"));
  halted(0, 5, 100, 95);
  halted(1, 5, 50, 45);
  halted(2, 5, 0, 10); // all are handled now, but they were not in the round before
  EXPECT_EQ(sent(), to_all("count 5"));
  halted(0, 5, 101, 95);
  halted(1, 5, 50, 45);
  halted(2, 5, 0, 11); // 151 were sent meanwhile
  EXPECT_EQ(sent(), to_all("count 5"));
  halted(0, 5, 101, 95);
  halted(1, 5, 50, 45);
  EXPECT_EQ(sent(), Lines());
  halted(2, 5, 0, 11);
  EXPECT_EQ(sent(), to_all("cut 5"));
}

TEST_F(CheckpointsTest, IsCountedAgainAfterAPause) {
  ask(7);
  sent();
  for (int i = 0; i < 3; i++) {
    all_halted(5, 10, 9);
    EXPECT_EQ(sent(), to_all("count 5"));
  }
  all_halted(5, 10, 9);
  EXPECT_EQ(sent(), Lines());
  EXPECT_GE(checkpoints.due_ms(now), 0);
  pass(100);
  EXPECT_EQ(sent(), to_all("count 5"));
}

TEST_F(CheckpointsTest, ComesEveryFewSeconds) {
  checkpoints.settle(4, 30, 60, 0);
  checkpoints.begin(now);
  EXPECT_EQ(checkpoints.due_ms(now), 30000);
  pass(29999);
  EXPECT_EQ(sent(), Lines());
  pass(1);
  EXPECT_EQ(sent(), to_all("halt 5"));
}

TEST_F(CheckpointsTest, IsCompleteWhenItsCopiesHaveBeenSpread) {
  spreads = true;
  ask(7);
  come_to(Type::kept);
  EXPECT_EQ(steps, (Lines{"begin 5", "cut", "spread 5"}));
  checkpoints.spread(4, ""); // that of one that was given up
  EXPECT_EQ(news, Lines());
  checkpoints.spread(5, "");
  EXPECT_EQ(sent(), to_all("kept 5"));
  EXPECT_EQ(news, Lines{"7: kept 5"});
  ask(8);
  come_to(Type::kept, 6);
  die(2); // its copy is there
  checkpoints.spread(6, "host b: the disk is full");
  EXPECT_EQ(sent(), (Lines{"to 0: kept 6", "to 1: kept 6"}));
  EXPECT_EQ(news.back(), "8: failed -1");
  EXPECT_EQ(steps.back(), "drop 6");
}

TEST_F(CheckpointsTest, ThereIsAPauseAfterOneThatTookTooLong) {
  checkpoints.settle(4, 0, 60, 12000);
  ask(7);
  sent();
  pass(60000);
  EXPECT_EQ(news, Lines{"7: failed -1"});
  sent();
  ask(8);
  hear(1, Type::wish, 0);
  pass(11999);
  EXPECT_EQ(sent(), Lines());
  EXPECT_EQ(checkpoints.due_ms(now), 1);
  pass(1);
  EXPECT_EQ(sent(), to_all("halt 6"));
}

TEST_F(CheckpointsTest, ProgramsAsk) {
  hear(1, Type::wish, 0);
  pass(0);
  EXPECT_EQ(sent(), to_all("halt 5"));
  hear(2, Type::wish, 0); // before the cut: this one is its, too
  come_to(Type::go_on);
  hear(2, Type::wish, 0); // after it
  all(Type::written, 5);
  EXPECT_EQ(sent(), to_all("kept 5"));
  pass(0);
  EXPECT_EQ(sent(), to_all("halt 6"));
  come_to(Type::kept, 6);
  pass(1000);
  EXPECT_EQ(sent(), Lines());
}

TEST_F(CheckpointsTest, WhoAsksAfterTheCutGetsTheNextOne) {
  ask(7);
  come_to(Type::go_on);
  ask(8);
  all(Type::written, 5);
  EXPECT_EQ(news, Lines{"7: kept 5"});
  pass(0);
  come_to(Type::kept, 6);
  EXPECT_EQ(news, (Lines{"7: kept 5", "8: kept 6"}));
}

TEST_F(CheckpointsTest, WhoHasGoneIsNotTold) {
  ask(7);
  checkpoints.cancel(7);
  come_to(Type::kept);
  EXPECT_EQ(news, Lines());
  EXPECT_EQ(steps.back(), "complete 5 of 3");
}

TEST_F(CheckpointsTest, ADeathBeforeTheCopiesAreWrittenGivesItUp) {
  const Type stages[] = {Type::halt, Type::cut, Type::go_on};
  for (int i = 0; i < 3; i++) {
    const int number = 5 + i;
    nodes[2].dead = false;
    ask(7);
    come_to(stages[i], number);
    die(2);
    Lines expected = {"to 0: kept " + std::to_string(number), "to 1: kept " + std::to_string(number)};
    if (stages[i] != Type::go_on)
      expected.insert(expected.begin(),
                      {"to 0: go_on " + std::to_string(number), "to 1: go_on " + std::to_string(number)});
    EXPECT_EQ(sent(), expected);
    EXPECT_EQ(steps.back(), "drop " + std::to_string(number));
    EXPECT_EQ(news, Lines{"7: failed -1"});
    EXPECT_NE(said.back().find("is given up: node 2 died; the run goes on"), std::string::npos) << said.back();
    news.clear();
    for (const Type type : {Type::copied, Type::written}) // too late
      all(type, number);
    EXPECT_EQ(sent(), Lines());
  }
}

TEST_F(CheckpointsTest, ACopyThatIsWrittenDoesWithoutItsNode) {
  ask(7);
  come_to(Type::go_on);
  hear(2, Type::written, 5);
  die(2);
  EXPECT_EQ(sent(), Lines());
  all(Type::written, 5);
  EXPECT_EQ(news, Lines{"7: kept 5"});
  EXPECT_EQ(steps.back(), "complete 5 of 3");
}

TEST_F(CheckpointsTest, NextOneIsWithoutTheDead) {
  die(1);
  ask(7);
  EXPECT_EQ(sent(), (Lines{"to 0: halt 5", "to 2: halt 5"}));
  come_to(Type::kept);
  EXPECT_EQ(steps.back(), "complete 5 of 2");
}

TEST_F(CheckpointsTest, NodesThatDoNotHaltAreNotWaitedForForEver) {
  ask(7);
  sent();
  halted(0, 5, 1, 1);
  hear(1, Type::halting, 5, 0, "its thread 7 computes");
  pass(59999);
  EXPECT_EQ(sent(), Lines());
  pass(1);
  EXPECT_EQ(sent().front(), "to 0: go_on 5");
  EXPECT_NE(checkpoints.failed().find("node 1: its thread 7 computes; node 2"), std::string::npos)
      << checkpoints.failed();
}

TEST_F(CheckpointsTest, CopiesOfOneThatWasGivenUpAreWaitedFor) {
  ask(7);
  come_to(Type::cut);
  hear(0, Type::copied, 5);
  hear(1, Type::copied, 5, 1, "it has a kernel thread of its own");
  EXPECT_EQ(news, Lines{"7: failed -1"});
  sent();
  ask(8);
  EXPECT_EQ(sent(), Lines());
  hear(0, Type::written, 5, 1, "the folder has gone");
  hear(2, Type::copied, 5);
  pass(0);
  EXPECT_EQ(sent(), Lines());
  hear(2, Type::written, 5);
  pass(0);
  EXPECT_EQ(sent(), to_all("halt 6"));
}

TEST_F(CheckpointsTest, WhatCannotBeWrittenChangesNothing) {
  no_folder = "there is no space";
  ask(7);
  EXPECT_EQ(sent(), to_all("kept 5"));
  EXPECT_EQ(news, Lines{"7: failed -1"});
  no_folder.clear();
  incomplete = "there is no space";
  ask(8);
  come_to(Type::kept, 6);
  EXPECT_EQ(news, (Lines{"7: failed -1", "8: failed -1"}));
  EXPECT_EQ(steps.back(), "drop 6");
  EXPECT_EQ(checkpoints.last().number, 0);
  incomplete.clear();
  ask(9);
  come_to(Type::kept, 7);
  EXPECT_EQ(news.back(), "9: kept 7");
}

TEST_F(CheckpointsTest, WaitsForChangesAndTheyForIt) {
  EXPECT_EQ(changes.drain(1, {2}), "");
  sent();
  ask(7);
  EXPECT_EQ(sent(), Lines());
  EXPECT_EQ(changes.add(2, 1, ""), "");
  changes.cancel(1); // node 2 stays after all
  sent();
  EXPECT_TRUE(asked.empty());
  pass(0);
  EXPECT_EQ(sent(), to_all("halt 5"));
  come_to(Type::go_on);
  EXPECT_TRUE(asked.empty());
  all(Type::written, 5);
  EXPECT_EQ(asked, Lines{""});
}

TEST_F(CheckpointsTest, TheEndOfTheRunIsItsEnd) {
  ask(7);
  come_to(Type::cut);
  ask(8);
  checkpoints.over();
  EXPECT_EQ(sent(), to_all("go_on 5"));
  EXPECT_EQ(steps.back(), "drop 5");
  EXPECT_EQ(news, (Lines{"7: over -1", "8: over -1"}));
  EXPECT_EQ(checkpoints.ask(9), "the run is over");
  EXPECT_EQ(checkpoints.due_ms(now), -1);
}

TEST_F(CheckpointsTest, StrangeAnswersChangeNothing) {
  ask(7);
  sent();
  hear(0, Type::copied, 5);
  hear(0, Type::written, 5);
  halted(0, 4, 1, 1);
  halted(0, 5, 1, 1);
  halted(0, 5, 1, 1);
  EXPECT_EQ(sent(), Lines());
  hear(1, Type::halted, 5, 0, "short");
  EXPECT_EQ(news, Lines{"7: failed -1"});
  EXPECT_FALSE(hear(1, Type::finish, 0));
}

namespace {

class FolderTest : public ::testing::Test {
protected:
  FolderTest() {
    std::string name = "/tmp/skein-test-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(path); }

  static Manifest manifest(int number) {
    Manifest manifest;
    manifest.number = number;
    manifest.command = {"/bin/program", "-x", "a word"};
    manifest.numbers = 4;
    manifest.founders = 2;
    manifest.seed = UINT64_MAX;
    manifest.nodes = {
        {0, Fate::there, "", {}}, {1, Fate::left, "", {}}, {2, Fate::there, "elsewhere", {"here", "there"}}};
    manifest.output = {true, true, 1, 2, UINT64_C(1) << 40};
    manifest.environment = {{"COLOUR", "\"red\"\n"}};
    return manifest;
  }
  void make(CheckpointFolder &folder, int number) const {
    std::ofstream(folder.begin(number) + "/node-0") << "copy";
    folder.complete(number, manifest(number).to_json());
  }
  [[nodiscard]] bool has(const std::string &name) const { return std::filesystem::exists(path + "/" + name); }

  std::string path;
};

std::string why_not(const std::function<void()> &act) {
  try {
    act();
  } catch (const std::string &why) {
    return why;
  }
  return "";
}

} // namespace

TEST_F(FolderTest, ManifestsAreReadAsTheyWereWritten) {
  const Manifest read = Manifest::from_json(manifest(7).to_json());
  EXPECT_EQ(read.to_json(), manifest(7).to_json());
  EXPECT_EQ(read.seed, UINT64_MAX);
  EXPECT_EQ(read.nodes_there(), (std::vector<int>{0, 2}));
  EXPECT_EQ(read.environment[0].second, "\"red\"\n");
  EXPECT_EQ(read.nodes[2].kept_on, (Lines{"here", "there"}));
  for (const char *wrong : {"", "{", "[]", "{\"format\":1}", "{\"format\":\"x\"}"})
    EXPECT_NE(why_not([&] { Manifest::from_json(wrong); }), "") << wrong;
}

TEST_F(FolderTest, OnlyWhatIsCompleteCounts) {
  {
    CheckpointFolder folder(path + "/new/");
    EXPECT_EQ(folder.path(), path + "/new");
    struct stat about;
    stat(folder.path().c_str(), &about);
    EXPECT_EQ(about.st_mode & 0777, 0700u);
    EXPECT_EQ(folder.last_number(), 0);
    make(folder, 1);
    make(folder, 2);
    folder.begin(9);
    EXPECT_EQ(checkpoints_in(folder.path()), (std::vector<int>{1, 2}));
    EXPECT_NE(why_not([&] { folder.begin(9); }), "");
  }
  std::filesystem::create_directory(path + "/new/007");
  std::filesystem::create_directory(path + "/new/12"); // whose manifest was removed first
  CheckpointFolder again(path + "/new");
  EXPECT_FALSE(has("new/9.part"));
  EXPECT_EQ(again.last_number(), 12);
  EXPECT_EQ(checkpoints_in(path + "/new"), (std::vector<int>{1, 2}));
  EXPECT_EQ(why_not([&] { again.expect_program("/bin/program"); }), "");
  EXPECT_NE(why_not([&] { again.expect_program("/bin/other"); }), "");
}

TEST_F(FolderTest, DisksOfOtherHosts) {
  using What = DiskRequest::What;
  CheckpointFolder folder(path + "/here");
  make(folder, 1);
  const auto request = [](What what, int number = 0, const std::string &name = "", const std::string &data = "") {
    DiskRequest request;
    request.what = what;
    request.number = number;
    request.name = name;
    request.data = data;
    DiskRequest read;
    EXPECT_TRUE(read.unpack(request.packed()));
    return read;
  };
  const auto open = [&](Disk &disk, const std::string &name) {
    DiskRequest opens = request(What::open, 0, path + "/" + name, folder.mark());
    opens.names = {"/bin/program"};
    return disk.perform(opens);
  };
  Disk disk, same;
  EXPECT_NE(disk.perform(request(What::begin, 3)).failed, "");
  EXPECT_TRUE(open(same, "here").shared);
  EXPECT_EQ(open(disk, "elsewhere").failed, "");
  EXPECT_TRUE(has("elsewhere/lock"));

  // A file comes in two pieces, and is there when it is whole.
  EXPECT_EQ(disk.perform(request(What::begin, 3)).failed, "");
  DiskRequest piece = request(What::write, 0, "3.part/node-2", "first, ");
  EXPECT_EQ(disk.perform(piece).failed, "");
  EXPECT_FALSE(has("elsewhere/3.part/node-2"));
  piece.offset = piece.data.size();
  piece.data = "second";
  piece.last = true;
  EXPECT_EQ(disk.perform(piece).failed, "");
  EXPECT_EQ(disk.perform(request(What::read, 0, "3.part/node-2")).data, "first, second");
  EXPECT_EQ(disk.perform(request(What::needs, 0, "3.part/node-2")).names, (Lines{"3.part/node-2", "first, second"}));
  DiskRequest lacks = request(What::lacks);
  lacks.names = {"3.part/node-2", "first, second", "2/node-2", "another"};
  EXPECT_EQ(disk.perform(lacks).names, Lines{"2/node-2"});
  lacks.names = {"3.part/node-2", "first, third"};
  EXPECT_EQ(disk.perform(lacks).names, Lines{"3.part/node-2"});
  for (const char *name : {"", "/etc/passwd", "../here/1/node-0", "3.part/no/such", "4.part/node-0"})
    EXPECT_NE(disk.perform(request(What::write, 0, name)).failed, "") << name;

  // It has what is needed for node 2, if it is that checkpoint.
  EXPECT_EQ(disk.perform(request(What::complete, 3, "", manifest(3).to_json())).failed, "");
  EXPECT_EQ(disk.perform(request(What::holds, 3, "", manifest(3).to_json())).names, Lines{"3/node-2"});
  Manifest other = manifest(3);
  other.when = "later";
  EXPECT_EQ(disk.perform(request(What::holds, 3, "", other.to_json())).names, Lines());
  EXPECT_EQ(disk.perform(request(What::holds, 2, "", manifest(2).to_json())).names, Lines());

  // What the launcher does not have is put aside when the folder is opened.
  EXPECT_EQ(open(disk, "elsewhere").aside, 1);
  EXPECT_TRUE(has("elsewhere/3.aside"));
  EXPECT_EQ(disk.perform(request(What::begin, 4)).failed, "");
  EXPECT_EQ(disk.perform(request(What::complete, 4, "", manifest(4).to_json())).failed, "");

  // What a restored node needs comes to a folder that is not there.
  DiskRequest late = request(What::write, 0, "2/node-0", "whole");
  late.last = true;
  EXPECT_EQ(disk.perform(late).failed, "");
  EXPECT_TRUE(has("elsewhere/2/node-0"));
  EXPECT_EQ(disk.perform(request(What::take_back, 4)).failed, "");
  EXPECT_FALSE(has("elsewhere/4"));
  EXPECT_EQ(disk.perform(request(What::prune, 1)).failed, "");
  DiskAnswer answer;
  EXPECT_FALSE(answer.unpack("x"));
}

TEST_F(FolderTest, OlderOnesAreRemoved) {
  CheckpointFolder folder(path);
  for (int number = 1; number <= 4; number++)
    make(folder, number);
  folder.prune(2);
  EXPECT_EQ(checkpoints_in(path), (std::vector<int>{3, 4}));
  EXPECT_FALSE(has("1"));
  EXPECT_FALSE(has("2"));
}

// A run that goes on from an earlier one must not be restarted from those of the course that it has left.
TEST_F(FolderTest, LaterOnesArePutAside) {
  {
    CheckpointFolder folder(path);
    for (int number = 1; number <= 4; number++)
      make(folder, number);
    EXPECT_EQ(folder.put_aside_after(2), 2);
    EXPECT_EQ(checkpoints_in(path), (std::vector<int>{1, 2}));
    EXPECT_TRUE(has("4.aside"));
    EXPECT_EQ(folder.put_aside_after(2), 0);
  }
  EXPECT_EQ(CheckpointFolder(path).last_number(), 4); // numbers are not used again
}

TEST_F(FolderTest, OutputIsHeldUntilItIsCovered) {
  HeldOutput held(path);
  const auto given = [&](const std::function<void()> &act) {
    testing::internal::CaptureStdout();
    act();
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_TRUE(held.hold("one\n", 4));
  held.mark();
  EXPECT_TRUE(held.hold("two\n", 4));
  held.save(path + "/output");
  EXPECT_EQ(given([&] { held.give_out(); }), "one\n");
  EXPECT_TRUE(held.hold("three\n", 6));
  held.drop();
  EXPECT_TRUE(held.hold("four\n", 5));
  held.mark();
  EXPECT_EQ(given([&] { held.give_out(); }), "four\n");
  EXPECT_EQ(given([&] { held.give_out(); }), "");
  OutputRecord record;
  record.held = true;
  EXPECT_EQ(given([&] { resume_output(record, path); }), "one\n");
}

TEST_F(FolderTest, OutputGoesOnWhereTheCheckpointWas) {
  const int before = dup(STDOUT_FILENO);
  const std::string file = path + "/out";
  fflush(stdout);
  ASSERT_NE(freopen(file.c_str(), "w", stdout), nullptr);
  fputs("covered, and more", stdout);
  fflush(stdout);
  OutputRecord record = output_now();
  EXPECT_TRUE(record.regular);
  EXPECT_EQ(record.position, 17u);
  record.position = 7;
  resume_output(record, path);
  fputs(".", stdout);
  fflush(stdout);
  record.inode++; // another file is left as it is
  record.position = 2;
  resume_output(record, path);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::ifstream written(file);
  std::string text;
  std::getline(written, text);
  EXPECT_EQ(text, "covered.");
}

TEST(Recovery, NodesGoWhereTheyWereOrWhereTheFewestAre) {
  const std::vector<std::pair<int, std::string>> nodes = {{0, ""}, {2, "b"}, {3, "c"}, {5, "b"}};
  std::vector<Place> places = placed(nodes, {"", "b", "c"});
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[1].numbers, (std::vector<int>{2, 5}));
  EXPECT_EQ(places[1].nodes, 2);
  places = placed(nodes, {"", "c"}); // b is lost
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].numbers, (std::vector<int>{0, 2}));
  EXPECT_EQ(places[1].numbers, (std::vector<int>{3, 5}));
  EXPECT_TRUE(placed(nodes, {}).empty());
}
