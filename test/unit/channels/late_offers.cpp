// Messages overtake each other: what an alternative of another node offers comes after it has been withdrawn
// (channels/remote.h). The test plays that node.
#include "../net/lone_node.h"

#include "base/node.h"
#include "channels/channel.h"
#include "net/messages/calls.h"

#include <gtest/gtest.h>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

namespace {

class LateOffers : public lone_node::Test {
protected:
  static void offers(uint64_t channel, uint64_t alternative, bool sends) {
    const uint64_t word = 5, bytes = sizeof word;
    deliver(make(OfferMessage{{}, channel, alternative, bytes, 0, sends}, &word, sends ? bytes : 0));
  }
  static void withdraws(uint64_t channel, uint64_t alternative) {
    deliver(tell<WithdrawMessage>(channel, alternative));
  }
};

} // namespace

TEST_F(LateOffers, DoNotStandInTheirChannel) {
  const uint64_t handle = channel_new(0), other = channel_new(0);
  const Channel &channel = *channel_record(handle);
  for (uint64_t alternative = 1; alternative <= 100; alternative++) {
    withdraws(handle, alternative);
    offers(handle, alternative, true);
    offers(handle, alternative, false);
    offers(other, alternative, true); // the alternative is over, wherever its cases are
  }
  EXPECT_TRUE(channel.senders.empty());
  EXPECT_TRUE(channel.receivers.empty());
  EXPECT_TRUE(channel_record(other)->senders.empty());

  offers(handle, 101, true);
  ASSERT_FALSE(channel.senders.empty());
  EXPECT_EQ(channel.senders.first()->number, 101U);
  withdraws(handle, 101);
  EXPECT_TRUE(channel.senders.empty());
}
