// A node has left the run, and this one, node 0, is its heir: it knows where the channels of that node are
// (channels/homes.h). The test plays the node that leaves.
#include "../net/lone_node.h"

#include "base/node.h"
#include "channels/homes.h"
#include "net/messages/calls.h"
#include "net/run/leaving.h"
#include "os/linux/futex.h"
#include "thread/thread.h"

#include <gtest/gtest.h>
#include <skein/skein.h>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

namespace {

constexpr int leaver = 1;
uint64_t there(uint64_t number) { return static_cast<uint64_t>(leaver) << id_node_shift | number; }

struct Entry {
  uint64_t handle, forward, former;
};
Bytes piece(const std::vector<Entry> &entries) {
  return make(EstateMessage{{}, 1, static_cast<uint64_t>(EstateKind::channels)}, entries.data(),
              entries.size() * sizeof(Entry));
}

struct Answer {
  bool come;
  uint64_t value, forward;
} answered;

/// Uses a channel by way of its keeper, as a thread does.
void use(uint64_t channel, uint64_t operation) {
  answered = {};
  const auto note = [](const Call &, const ReplyMessage *reply, size_t bytes) {
    answered = {true, reply ? reply->value : UINT64_MAX, 0};
    if (reply && bytes == sizeof answered.forward)
      memcpy(&answered.forward, reply + 1, bytes);
  };
  const uint64_t call = call_begin(kept({note, home_of(channel), nullptr, 0, nullptr, 0}));
  link_tell<ChannelMessage>(home_of(channel), call, channel, operation, uint64_t{0}, UINT64_MAX);
  link_drive(true);
}

class InheritedChannels : public lone_node::Test {
protected:
  /// A channel of the leaver comes here. Returns its new handle.
  static uint64_t comes(uint64_t handle) {
    deliver(tell<ChannelMessage>(uint64_t{1}, handle, uint64_t{SKEIN_CHANNEL_CREATE}, uint64_t{2}, uint64_t{0}));
    uint64_t here;
    memcpy(&here, heard<ReplyMessage>() + 1, sizeof here);
    return here;
  }
  /// The leaver fills it. Returns the code of the answer.
  static uint64_t fills(uint64_t handle, const std::vector<uint64_t> &words, bool closed) {
    std::vector<uint64_t> data;
    for (const uint64_t word : words)
      data.insert(data.end(), {sizeof word, word});
    const size_t bytes = data.size() * sizeof(uint64_t);
    deliver(make(ChannelMessage{{}, 2, handle, SKEIN_CHANNEL_FILL, bytes, closed}, data.data(), bytes));
    return heard<ReplyMessage>()->value;
  }
  static void leave(const std::vector<Entry> &entries) {
    leaving_drain(leaver, true);
    leaving_part(leaver);
    leaving_tick(clock_ns());
    deliver(piece(entries));
    deliver(tell<FarewellMessage>(uint64_t{1}, uint64_t{1}));
    leaving_departed(leaver);
    leaving_tick(clock_ns());
  }
};

} // namespace

TEST_F(InheritedChannels, ComeWithWhatTheyHold) {
  const uint64_t here = comes(there(1));
  EXPECT_EQ(fills(here, {11, 12, 13}, false), SKEIN_OK); // more than it has room for
  EXPECT_EQ(fills(here, {14}, true), SKEIN_OK);
  for (uint64_t expected = 11; expected <= 14; expected++) {
    deliver(tell<ChannelMessage>(uint64_t{3}, here, uint64_t{SKEIN_CHANNEL_RECEIVE}, uint64_t{8}, UINT64_MAX));
    const auto *reply = heard<ReplyMessage>();
    uint64_t word;
    memcpy(&word, reply + 1, sizeof word);
    EXPECT_EQ(reply->value, uint64_t{8} << SKEIN_CHANNEL_CODE_BITS);
    EXPECT_EQ(word, expected);
  }
  deliver(tell<ChannelMessage>(uint64_t{4}, here, uint64_t{SKEIN_CHANNEL_RECEIVE}, uint64_t{8}, UINT64_MAX));
  EXPECT_EQ(heard<ReplyMessage>()->value, static_cast<uint64_t>(SKEIN_ECLOSED));
}

TEST_F(InheritedChannels, OnlyAreFilledIfTheyHaveComeFromThere) {
  deliver(tell<ChannelMessage>(uint64_t{1}, uint64_t{0}, uint64_t{SKEIN_CHANNEL_CREATE}, uint64_t{2}, uint64_t{0}));
  uint64_t here;
  memcpy(&here, heard<ReplyMessage>() + 1, sizeof here);
  EXPECT_EQ(fills(here, {1}, true), static_cast<uint64_t>(SKEIN_ETHREAD));
  EXPECT_FALSE(channel_record(here)->closed);
  EXPECT_EQ(fills(here + (1 << 20), {1}, true), static_cast<uint64_t>(SKEIN_ETHREAD));
}

// A thread waited on the leaver for a channel of this node, and is elsewhere now.
TEST_F(InheritedChannels, CallsOfTheLeaverAreRecalled) {
  const uint64_t channel = channel_new(0);
  const auto asks = [&](uint64_t call, uint64_t operation, uint64_t left_ns) {
    const uint64_t room = operation == SKEIN_CHANNEL_RECEIVE ? 8 : 0;
    deliver(tell<ChannelMessage>(call, channel, operation, room, left_ns));
  };
  leaving_drain(leaver, true);
  asks(21, SKEIN_CHANNEL_RECEIVE, UINT64_MAX);
  asks(22, SKEIN_CHANNEL_RECEIVE, UINT64_MAX);
  asks(23, SKEIN_CHANNEL_RECALL, 0); // it has been answered, or not come yet
  EXPECT_EQ(heard<ReplyMessage>(), nullptr);
  asks(22, SKEIN_CHANNEL_RECALL, 0);
  const auto *reply = heard<ReplyMessage>();
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->call, 22u);
  EXPECT_EQ(reply->value, SKEIN_CHANNEL_AGAIN);
  EXPECT_EQ(sent.back().size(), sizeof *reply);
  sent.clear();
  asks(22, SKEIN_CHANNEL_RECALL, 0); // likewise
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(channel_record(channel)->receivers.first()->number, 21u);
  uint64_t forward;
  channel_close(channel, true, forward);
}

TEST_F(InheritedChannels, AreFoundByTheirOldHandles) {
  const uint64_t here = comes(there(2));
  leave({{there(2), here, 0}, {there(3), here, 0}});
  EXPECT_EQ(keeper_of(leaver), 0);
  EXPECT_EQ(channel_resolve(there(2)), here);
  for (const uint64_t operation : {SKEIN_CHANNEL_RECEIVE, SKEIN_CHANNEL_CLOSE, SKEIN_CHANNEL_FREE}) {
    use(there(2), operation);
    EXPECT_TRUE(answered.come);
    EXPECT_EQ(answered.value, SKEIN_CHANNEL_AGAIN);
    EXPECT_EQ(answered.forward, here);
  }
  use(there(9), SKEIN_CHANNEL_RECEIVE); // there was none
  EXPECT_EQ(answered.value, static_cast<uint64_t>(SKEIN_ETHREAD));
}

TEST_F(InheritedChannels, AreForgottenWhenTheyAreFreed) {
  const uint64_t here = comes(there(4));
  leave({{there(4), here, there(5)}, {there(5), there(4), 0}}); // the leaver knew it under two names
  EXPECT_EQ(channel_resolve(there(5)), here);
  uint64_t forward;
  EXPECT_EQ(channel_close(here, true, forward), SKEIN_OK);
  EXPECT_EQ(home_inherited(there(4)), 0u);
  EXPECT_EQ(home_inherited(there(5)), 0u);
  use(there(4), SKEIN_CHANNEL_RECEIVE);
  EXPECT_EQ(answered.value, static_cast<uint64_t>(SKEIN_ETHREAD));
}

TEST_F(InheritedChannels, OfADamagedNodeAreRejected) {
  for (const Entry &bad :
       {Entry{5, 6, 0}, Entry{there(1), 0, 0}, Entry{there(1), there(1), 0},
        Entry{there(1), UINT64_C(7) << id_node_shift | 1, 0}, Entry{there(1), 6, UINT64_C(7) << id_node_shift | 1}}) {
    leaving_drain(leaver, true);
    deliver(piece({bad}));
    EXPECT_NE(rejected, "") << bad.handle << ' ' << bad.forward << ' ' << bad.former;
    bury();
    meet();
  }
}
