// What `skein run --hosts` reads and compares before it starts anything, and the frames that it exchanges with agents.
#include "launch/run/host_facts.h"
#include "launch/run/placement.h"
#include "launch/run/stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace skein::launch;

namespace {

std::string why_not(const std::function<void()> &call) {
  try {
    call();
  } catch (const std::string &why) {
    return why;
  }
  return "";
}

HostFacts host(const char *name, const char *instructions) {
  HostFacts facts;
  facts.version = "1";
  facts.name = name;
  facts.page_bytes = 4096;
  facts.instructions = instructions;
  return facts;
}

struct Ends {
  Ends() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    near = ends[0];
    far = ends[1];
  }
  int near, far;
};

} // namespace

TEST(Placement, Lists) {
  const std::vector<Place> places = parse_hosts("localhost:2,user@b:3,c,[fd00::1]:4");
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(places[0].host, "");
  EXPECT_EQ(places[0].nodes, 2);
  EXPECT_EQ(places[1].host, "user@b");
  EXPECT_EQ(places[1].nodes, 3);
  EXPECT_EQ(places[2].nodes, 1);
  EXPECT_EQ(places[3].host, "fd00::1");
  EXPECT_EQ(places[3].nodes, 4);
  for (const char *wrong : {"", ":2", "b:0", "b:x", "b:2x", "b:251", "b,b", "localhost,localhost", "-oProxyCommand=x"})
    EXPECT_NE(why_not([&] { parse_hosts(wrong); }), "") << wrong;
}

TEST(Placement, HostsAreFilledInTheirOrder) {
  std::vector<Place> places = parse_hosts("a1:2,b1:3,c1:1");
  EXPECT_EQ(fill(places, 3), 3);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[1].nodes, 1);
  places = parse_hosts("a1:2,b1:3");
  EXPECT_EQ(fill(places, 0), 5);
  EXPECT_NE(why_not([&] { fill(places, 6); }), "");
}

TEST(HostFacts, WhatCannotBeInOneRunIsNamed) {
  const HostFacts here = host("here", "avx avx2 sse2");
  EXPECT_EQ(why_not_together(here, "b", host("there", "avx avx2 sse2"), false), "");
  const std::string why = why_not_together(here, "b", host("there", "avx avx512f sse2"), false);
  EXPECT_NE(why.find("only this host has avx2; only b has avx512f"), std::string::npos) << why;
  EXPECT_EQ(why_not_together(here, "b", host("there", "avx"), true), "");
  HostFacts other = here;
  other.page_bytes = 16384;
  EXPECT_NE(why_not_together(here, "b", other, true).find("4096 and 16384"), std::string::npos);
  other = here;
  other.version = "2";
  EXPECT_NE(why_not_together(here, "b", other, true).find("1 here, 2 there"), std::string::npos);
}

TEST(HostFacts, TravelWhole) {
  HostFacts facts = facts_of_this_host(), copy;
  facts.rank = 7;
  EXPECT_NE(facts.instructions.find("sse2"), std::string::npos);
  ASSERT_TRUE(copy.unpack(facts.packed()));
  EXPECT_EQ(copy.packed(), facts.packed());
  const std::string packed = facts.packed();
  for (size_t bytes = 0; bytes < packed.size(); bytes++)
    EXPECT_FALSE(HostFacts().unpack(packed.substr(0, bytes)));
}

TEST(HostFacts, Addresses) {
  EXPECT_EQ(address_in("127.0.0.0/8"), "127.0.0.1");
  EXPECT_EQ(address_in("lo"), "127.0.0.1");
  EXPECT_EQ(address_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_NE(why_not([] { address_in("203.0.113.0/24"); }), "");
  EXPECT_NE(why_not([] { address_towards("b"); }), "");
  EXPECT_EQ(address_of("10.1.2.3:7000"), "10.1.2.3");
  EXPECT_EQ(address_of("[fd00::1]:7000"), "fd00::1");
}

TEST(Stream, FramesComeInOrderAndInPieces) {
  const Ends ends;
  Stream near(ends.near, ends.near), far(ends.far, ends.far);
  far.expect_greeting();
  EXPECT_EQ(write(ends.near, "Last login: never\n", 18), 18);
  near.greet();
  near.send({.word = Word::words}, "one");
  const std::string large(3 << 20, 'x');
  near.send({.word = Word::output, .node = 5, .number = 2}, large);
  FrameHeader header;
  std::string data;
  std::vector<std::string> got;
  while (got.size() < 2) {
    near.flush();
    ASSERT_TRUE(far.receive());
    while (far.next(header, data))
      got.push_back(data);
  }
  EXPECT_EQ(got[0], "one");
  EXPECT_EQ(got[1], large);
  EXPECT_EQ(header.node, 5);
  EXPECT_EQ(header.number, 2);
}

TEST(Stream, WhatIsNoFrameEndsIt) {
  const Ends ends;
  Stream far(ends.far, ends.far);
  FrameHeader header, wrong{.word = Word::words};
  wrong.bytes = frame_bytes_most + 1;
  std::string data;
  EXPECT_EQ(write(ends.near, &wrong, sizeof wrong), static_cast<ssize_t>(sizeof wrong));
  EXPECT_TRUE(far.receive());
  EXPECT_FALSE(far.next(header, data));
  EXPECT_FALSE(far.receive());
  close(ends.near);
}
