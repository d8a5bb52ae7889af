// When a node suspects its peer to be dead (net/run/membership.h).
#include "lone_node.h"

#include "net/run/membership.h"
#include "os/linux/futex.h"

#include <gtest/gtest.h>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

namespace {

using MembershipTest = lone_node::Test;

// Heartbeats wait behind other messages, which may be thousands where a node has too little of a core.
TEST_F(MembershipTest, EachMessageIsASignOfLife) {
  uint64_t now = clock_ns();
  const auto is_suspected = [&](bool speaks) {
    for (int i = 0; i < 20; i++) {
      if (speaks)
        deliver(tell<WithdrawMessage>(uint64_t{1}, uint64_t{1}));
      membership_tick(now += 500'000'000);
    }
    return suspects();
  };
  suspects();
  EXPECT_FALSE(is_suspected(true));
  EXPECT_TRUE(is_suspected(false));
}

} // namespace
