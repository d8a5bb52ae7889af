// This node, node 1, is about to leave the run, and its channels go to node 0 (channels/homes.h), which the test plays:
// with what they hold, closed or not, and in one place at any time.
#include "../net/lone_node.h"

#include "base/node.h"
#include "channels/homes.h"
#include "net/run/leaving.h"
#include "os/linux/futex.h"

#include <gtest/gtest.h>
#include <skein/skein.h>
#include <string>

using namespace skein;
using namespace skein::test::lone_node;

namespace {

constexpr uint64_t there = 77; // what node 0 says is the handle of a new record
constexpr uint64_t second = 1'000'000'000;

/// What a channel is filled with, in order.
std::string contents(const ChannelMessage &fill) {
  std::string all;
  const auto *at = reinterpret_cast<const char *>(&fill + 1);
  for (uint64_t left = fill.bytes; left;) {
    uint64_t length;
    memcpy(&length, at, sizeof length);
    all += std::string(at + sizeof length, length) + ";";
    at += fill_bytes(length);
    left -= fill_bytes(length);
  }
  return all;
}

class LeavingChannels : public testing::Test {
protected:
  LeavingChannels() {
    static const bool started = (start(1), true);
    (void)started;
    sent.clear();
    channel_ = channel_new(4);
  }
  ~LeavingChannels() override {
    EXPECT_EQ(rejected, "");
    leaving_drain(node.self, false);
    uint64_t forward;
    if (channel_close(channel_, true, forward) == code_again)
      home_freed(0, channel_);
    sent.clear();
  }

  /// Node 0 uses the channel. Returns the number of its call.
  uint64_t uses(uint64_t operation, const std::string &data = {}, uint64_t left_ns = UINT64_MAX) {
    const uint64_t bytes = operation == SKEIN_CHANNEL_RECEIVE ? 100 : data.size();
    deliver(make(ChannelMessage{{}, ++calls_, channel_, operation, bytes, left_ns}, data.data(), data.size()));
    return calls_;
  }
  /// The answer that a call of node 0 has got; null: none.
  static const ReplyMessage *answer(uint64_t call) {
    for (const Bytes &one : sent)
      if (const auto *reply = reinterpret_cast<const ReplyMessage *>(one.data());
          one[1] == static_cast<unsigned char>(MessageType::reply) && reply->call == call)
        return reply;
    return nullptr;
  }
  static uint64_t forward_in(const ReplyMessage &reply) {
    uint64_t forward;
    memcpy(&forward, &reply + 1, sizeof forward);
    return forward;
  }

  /// The latest question of that kind to node 0, which forgets it; its call is 0 if there was none.
  static ChannelMessage asked(uint64_t operation, std::string *filled = nullptr) {
    for (auto one = sent.rbegin(); one != sent.rend(); ++one)
      if (const auto *message = reinterpret_cast<const ChannelMessage *>(one->data());
          (*one)[1] == static_cast<unsigned char>(MessageType::channel) && message->operation == operation) {
        const ChannelMessage found = *message;
        if (filled)
          *filled = contents(*message);
        sent.erase(std::next(one).base());
        return found;
      }
    return {};
  }
  static void answers(const ChannelMessage &question, uint64_t code, bool with_handle = false) {
    deliver(make(ReplyMessage{{}, question.call, code}, &there, with_handle ? sizeof there : 0));
  }

  uint64_t channel_;

private:
  static uint64_t calls_;
};
uint64_t LeavingChannels::calls_ = 1000;

} // namespace

TEST_F(LeavingChannels, GoToNode0WithWhatTheyHold) {
  const uint64_t first = uses(SKEIN_CHANNEL_SEND, "one"), empty = uses(SKEIN_CHANNEL_SEND, "");
  uses(SKEIN_CHANNEL_SEND, "eight bytes and more");
  EXPECT_EQ(answer(first)->value, SKEIN_OK);
  EXPECT_EQ(answer(empty)->value, SKEIN_OK);
  leaving_drain(node.self, true);
  const ChannelMessage create = asked(SKEIN_CHANNEL_CREATE);
  EXPECT_EQ(create.channel, channel_);
  EXPECT_EQ(create.bytes, 4u);
  const uint64_t receives = uses(SKEIN_CHANNEL_RECEIVE); // it may not have what is on its way
  EXPECT_EQ(answer(receives), nullptr);
  answers(create, SKEIN_OK, true);
  std::string filled;
  const ChannelMessage fill = asked(SKEIN_CHANNEL_FILL, &filled);
  EXPECT_EQ(fill.channel, there);
  EXPECT_EQ(fill.left_ns, 0u);
  EXPECT_EQ(filled, "one;;eight bytes and more;");
  EXPECT_EQ(answer(receives), nullptr);
  EXPECT_EQ(channel_resolve(channel_), channel_);
  answers(fill, SKEIN_OK);
  ASSERT_NE(answer(receives), nullptr);
  EXPECT_EQ(answer(receives)->value, SKEIN_CHANNEL_AGAIN);
  EXPECT_EQ(forward_in(*answer(receives)), there);
  EXPECT_EQ(channel_resolve(channel_), there);
  EXPECT_EQ(channel_record(channel_)->held, 0u);
  const uint64_t late = uses(SKEIN_CHANNEL_CLOSE);
  EXPECT_EQ(answer(late)->value, SKEIN_CHANNEL_AGAIN);
  EXPECT_EQ(forward_in(*answer(late)), there);
}

// One message to the new record has at most 1 MiB, unless what is held is longer. The next one goes when it is there.
TEST_F(LeavingChannels, AreFilledPieceByPiece) {
  const std::string large(600'000, 'x');
  for (const char *name : {"a", "b", "c"})
    uses(SKEIN_CHANNEL_SEND, name + large);
  leaving_drain(node.self, true);
  answers(asked(SKEIN_CHANNEL_CREATE), SKEIN_OK, true);
  for (const char *name : {"a", "b", "c"}) {
    std::string filled;
    const ChannelMessage fill = asked(SKEIN_CHANNEL_FILL, &filled);
    EXPECT_TRUE(filled == name + large + ";") << name;
    EXPECT_EQ(asked(SKEIN_CHANNEL_FILL).call, 0u);
    EXPECT_EQ(channel_resolve(channel_), channel_);
    answers(fill, SKEIN_OK);
  }
  EXPECT_EQ(channel_resolve(channel_), there);
}

TEST_F(LeavingChannels, MayBeClosedBeforeTheyGoOrOnTheWay) {
  uses(SKEIN_CHANNEL_SEND, "last");
  leaving_drain(node.self, true);
  answers(asked(SKEIN_CHANNEL_CREATE), SKEIN_OK, true);
  const ChannelMessage fill = asked(SKEIN_CHANNEL_FILL);
  EXPECT_EQ(fill.left_ns, 0u);
  const uint64_t closes = uses(SKEIN_CHANNEL_CLOSE);
  EXPECT_EQ(answer(closes)->value, SKEIN_OK);
  answers(fill, SKEIN_OK);
  std::string filled;
  const ChannelMessage again = asked(SKEIN_CHANNEL_FILL, &filled);
  EXPECT_EQ(again.left_ns, 1u);
  EXPECT_EQ(filled, "");
  EXPECT_EQ(channel_resolve(channel_), channel_);
  answers(again, SKEIN_OK);
  EXPECT_EQ(channel_resolve(channel_), there);
}

TEST_F(LeavingChannels, MayBeFreedOnTheWay) {
  uses(SKEIN_CHANNEL_SEND, "last");
  leaving_drain(node.self, true);
  answers(asked(SKEIN_CHANNEL_CREATE), SKEIN_OK, true);
  const ChannelMessage fill = asked(SKEIN_CHANNEL_FILL);
  const uint64_t receives = uses(SKEIN_CHANNEL_RECEIVE), frees = uses(SKEIN_CHANNEL_FREE);
  EXPECT_EQ(answer(frees)->value, SKEIN_OK);
  answers(fill, SKEIN_OK);
  EXPECT_EQ(answer(receives)->value, static_cast<uint64_t>(SKEIN_ETHREAD));
  const ChannelMessage gives_back = asked(SKEIN_CHANNEL_FREE); // nobody else knows the new record
  EXPECT_EQ(gives_back.channel, there);
  answers(gives_back, SKEIN_OK);
  EXPECT_EQ(channel_resolve(channel_), channel_);
}

TEST_F(LeavingChannels, ThatNode0HasNoRoomForTryAgainLater) {
  uses(SKEIN_CHANNEL_SEND, "stays");
  leaving_drain(node.self, true);
  answers(asked(SKEIN_CHANNEL_CREATE), SKEIN_EMEMORY);
  EXPECT_EQ(asked(SKEIN_CHANNEL_CREATE).call, 0u); // not at once
  const uint64_t receives = uses(SKEIN_CHANNEL_RECEIVE);
  ASSERT_NE(answer(receives), nullptr); // it goes on here
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(answer(receives) + 1), 5), "stays");
  leaving_tick(clock_ns());
  answers(asked(SKEIN_CHANNEL_CREATE), SKEIN_OK, true);
  EXPECT_EQ(channel_resolve(channel_), there);
}

TEST_F(LeavingChannels, TellHowMuchTimeIsLeft) {
  const uint64_t timed = uses(SKEIN_CHANNEL_RECEIVE, {}, 100 * second), patient = uses(SKEIN_CHANNEL_RECEIVE);
  leaving_drain(node.self, true);
  answers(asked(SKEIN_CHANNEL_CREATE), SKEIN_OK, true);
  EXPECT_EQ(answer(patient)->value, SKEIN_CHANNEL_AGAIN);
  const uint64_t value = answer(timed)->value, left_ns = value >> SKEIN_CHANNEL_CODE_BITS;
  EXPECT_EQ(value & SKEIN_CHANNEL_CODE, SKEIN_CHANNEL_AGAIN);
  EXPECT_LT(left_ns, 100 * second);
  EXPECT_GT(left_ns, 50 * second);
}

TEST_F(LeavingChannels, AreNotMade) {
  leaving_drain(node.self, true);
  deliver(tell<ChannelMessage>(uint64_t{5}, uint64_t{0}, uint64_t{SKEIN_CHANNEL_CREATE}, uint64_t{1}, uint64_t{0}));
  ASSERT_NE(answer(5), nullptr);
  EXPECT_EQ(answer(5)->value, SKEIN_CHANNEL_AGAIN);
}

// The node that leaves is told to stay.
TEST_F(LeavingChannels, MayStayAfterAll) {
  leaving_drain(node.self, true);
  const ChannelMessage create = asked(SKEIN_CHANNEL_CREATE);
  leaving_drain(node.self, false);
  answers(create, SKEIN_EMEMORY);
  uses(SKEIN_CHANNEL_SEND, "here");
  EXPECT_EQ(asked(SKEIN_CHANNEL_CREATE).call, 0u);
  EXPECT_EQ(channel_record(channel_)->held, 1u);
}
