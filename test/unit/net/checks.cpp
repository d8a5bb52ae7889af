// The checks of messages must pass what any runtime of this version sends, and name what none sends.
#include "abi/channel_calls.h"
#include "abi/entry_points.h"
#include "base/node.h"
#include "migrate/image.h"
#include "net/wire/link.h"
#include "private/regions/regions.h"
#include "thread/thread.h"
#include "trace/events.h"

#include <skein/skein.h>

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace skein;

namespace {

/// A kind without a check cannot be handled: link_handle takes CheckedMessage only.
struct Unchecked {
  static constexpr MessageType type = MessageType::quiet;
  MessageHeader header;
};
static_assert(CheckedMessage<QuietMessage> && !CheckedMessage<Unchecked>);

/// Node 1 of 3; what is checked comes from node 2.
class ChecksTest : public testing::Test {
protected:
  static void SetUpTestSuite() { node = {1, 3}; }
  static void TearDownTestSuite() { node = {0, 1}; }
};

template <class T> T blank(uint16_t from = 2) {
  T message{};
  message.header = {message_version, static_cast<uint8_t>(T::type), from, 0, 0, 0};
  return message;
}

/// Says what is wrong with a message and the data behind it; empty if nothing is.
template <class T, class Data = char> std::string wrong(const T &message, const std::vector<Data> &data = {}) {
  std::vector<uint64_t> block((sizeof message + data.size() * sizeof(Data) + 7) / 8);
  memcpy(block.data(), &message, sizeof message);
  if (!data.empty())
    memcpy(reinterpret_cast<char *>(block.data()) + sizeof message, data.data(), data.size() * sizeof(Data));
  Complaint complaint;
  return T::check(*reinterpret_cast<const T *>(block.data()), data.size() * sizeof(Data), complaint) ? ""
                                                                                                     : complaint.text;
}

uint64_t id(int birth, uint64_t number) { return static_cast<uint64_t>(birth) << id_node_shift | number; }
constexpr uint64_t slice = UINT64_C(1) << SKEIN_SLICE_BITS;
uint64_t mine(uint64_t offset) { return SKEIN_SHARED_BASE + slice + offset; }

} // namespace

TEST_F(ChecksTest, EveryKindHasAName) {
  for (int type = 1; type <= static_cast<int>(MessageType::last); type++)
    EXPECT_EQ(std::string(message_name(static_cast<uint8_t>(type))) == "unknown",
              type == 14 || type == 22 || type == 23 || type == 32)
        << type; // the kinds that these numbers stood for no longer exist
  EXPECT_STREQ(message_name(0), "unknown");
  EXPECT_STREQ(message_name(255), "unknown");
  EXPECT_STREQ(message_name(static_cast<uint8_t>(MessageType::range)), "range");
  EXPECT_STREQ(message_name(static_cast<uint8_t>(MessageType::cancel)), "cancel");
}

TEST_F(ChecksTest, ThreadsAreWholeImages) {
  auto threads = blank<ThreadsMessage>();
  threads.shipment = threads.count = 1;
  ImageHeader image{};
  image.bytes = sizeof image;
  EXPECT_EQ(wrong(threads, std::vector{image}), "");
  EXPECT_NE(wrong(threads, std::vector{image, image}), ""); // some bytes belong to no image
  EXPECT_NE(wrong(threads), "");
  threads.count = 2;
  EXPECT_NE(wrong(threads, std::vector{image}), "");
  threads.count = 0;
  EXPECT_NE(wrong(threads), "");
  threads.count = UINT32_MAX;
  EXPECT_NE(wrong(threads, std::vector{image}), "");
  threads.count = 1;
  for (uint32_t bytes : {0u, 8u, 204u, 208u, UINT32_MAX}) {
    image.bytes = bytes;
    EXPECT_NE(wrong(threads, std::vector{image}), "") << bytes;
  }
  image.bytes = sizeof image;
  threads.arrived = UINT32_MAX;
  EXPECT_NE(wrong(threads, std::vector{image}), "");
  threads.arrived = 0;
  threads.answer = 1; // it answers no steal
  EXPECT_NE(wrong(threads, std::vector{image}), "");
}

TEST_F(ChecksTest, VerdictsAndNumbersOfShipments) {
  auto verdict = blank<VerdictMessage>();
  verdict.shipment = verdict.refused = 1;
  RefusedThread no{};
  no.code = SKEIN_EREFUSED;
  EXPECT_EQ(wrong(verdict, std::vector{no}), "");
  EXPECT_NE(wrong(verdict), "");
  no.index = 7000;
  EXPECT_EQ(wrong(verdict, std::vector{no}), "index 7000 of at most 1023");
  no.index = 0;
  no.code = 0;
  EXPECT_NE(wrong(verdict, std::vector{no}), "");
  no.code = SKEIN_EREFUSED;
  memset(no.text, 'x', sizeof no.text);
  EXPECT_NE(wrong(verdict, std::vector{no}), "");
  verdict.refused = 0;
  EXPECT_EQ(wrong(verdict), "");
  verdict.shipment = 0;
  EXPECT_NE(wrong(verdict), "");
  EXPECT_EQ(wrong(blank<ArrivedMessage>(), std::vector<uint64_t>{1, 2}), "");
  EXPECT_NE(wrong(blank<ArrivedMessage>(), std::vector<uint64_t>{1, 0}), "");
  EXPECT_NE(wrong(blank<ArrivedMessage>()), "");
  EXPECT_NE(wrong(blank<ArrivedMessage>(), std::vector<char>(7)), "");
  EXPECT_EQ(wrong(blank<ComingMessage>()), "");
  EXPECT_NE(wrong(blank<ComingMessage>(), std::vector<char>(8)), "");
  auto readable = blank<ReadableMessage>();
  EXPECT_NE(wrong(readable), "");
  readable.place = {1, 8};
  EXPECT_EQ(wrong(readable), "");
  readable.place.record = 9;
  EXPECT_NE(wrong(readable), "");
  readable.place = {UINT64_C(1) << 31, 8};
  EXPECT_NE(wrong(readable), "");
  readable.place = {1, 8};
  readable.is = 3;
  EXPECT_NE(wrong(readable), "");
}

TEST_F(ChecksTest, IdsOfThreads) {
  EXPECT_EQ(wrong(blank<EndedMessage>(), std::vector<EndedThread>{{id(1, 5), {0, 1, 0}}}), "");
  EXPECT_NE(wrong(blank<EndedMessage>(), std::vector<EndedThread>{{0, {}}}), "");
  EXPECT_NE(wrong(blank<EndedMessage>(), std::vector<EndedThread>{{id(2, 5), {}}}), ""); // the thread was not born here
  EXPECT_NE(wrong(blank<EndedMessage>(), std::vector<EndedThread>{{id(1, 5), {0, 77, 0}}}), "");
  EXPECT_EQ(wrong(blank<MovedMessage>(), std::vector<MovedThread>{{id(1, 5), 2, 9}}), "");
  EXPECT_NE(wrong(blank<MovedMessage>(), std::vector<MovedThread>{{id(1, 5), 3, 9}}), "");
  EXPECT_EQ(wrong(blank<WantedMessage>(), std::vector<uint64_t>{id(2, 5)}), "");
  EXPECT_NE(wrong(blank<WantedMessage>(), std::vector<uint64_t>{id(0, 5)}), "");
  auto cancel = blank<CancelMessage>();
  for (int birth : {1, 2}) {
    cancel.thread = id(birth, 5);
    EXPECT_EQ(wrong(cancel), "");
  }
  cancel.thread = id(5000, 5);
  EXPECT_NE(wrong(cancel), "");
  auto detach = blank<DetachMessage>();
  detach.thread = id(5000, 5);
  EXPECT_NE(wrong(detach), "");
  auto slot = blank<SlotMessage>();
  slot.slot = UINT64_C(1) << 32;
  EXPECT_NE(wrong(slot), "");
}

TEST_F(ChecksTest, SharedMemoryOfThisNodeOnly) {
  auto parcel = blank<ParcelMessage>();
  parcel.call = 1;
  ParcelEntry entry = {mine(4096), 64, ParcelWhat::get, 0, 0};
  EXPECT_EQ(wrong(parcel, std::vector{entry}), "");
  entry.address = mine(slice - 8);
  EXPECT_NE(wrong(parcel, std::vector{entry}), "");
  entry.address = 0;
  EXPECT_NE(wrong(parcel, std::vector{entry}), "");
  auto release = blank<ReleaseMessage>();
  release.call = 1;
  release.address = mine(4096);
  EXPECT_EQ(wrong(release), "");
  release.address = 64;
  EXPECT_NE(wrong(release), "");
}

TEST_F(ChecksTest, AnAccessIsLargeOnlyIfItIsAloneInItsParcel) {
  auto parcel = blank<ParcelMessage>();
  parcel.call = 1;
  for (ParcelWhat what : {ParcelWhat::get, ParcelWhat::fill}) {
    ParcelEntry entry = {mine(4096), copy_piece_most, what, 0, 0};
    EXPECT_EQ(wrong(parcel, std::vector{entry}), "");
    EXPECT_NE(wrong(parcel, std::vector{entry, entry}), "");
    entry.bytes++;
    EXPECT_NE(wrong(parcel, std::vector{entry}), "");
  }
  std::vector<ParcelEntry> put(1 + 8192 / sizeof(ParcelEntry)); // an entry, and the data that it carries
  put[0] = {mine(4096), 8192, ParcelWhat::put, 0, 0};
  EXPECT_EQ(wrong(parcel, put), "");
  put[0].bytes = 8193;
  EXPECT_NE(wrong(parcel, put), "");
}

TEST_F(ChecksTest, ParcelsAreWholeAndSmall) {
  auto parcel = blank<ParcelMessage>();
  parcel.call = 1;
  ParcelEntry entry = {mine(4096), 8, ParcelWhat::get, 0, 0};
  EXPECT_EQ(wrong(parcel, std::vector{entry, entry}), "");
  entry.bytes = UINT32_MAX; // the answer would have 4 GiB
  EXPECT_NE(wrong(parcel, std::vector{entry}), "");
  entry = {mine(4096), 8, ParcelWhat::put, 0, 0}; // the data is missing
  EXPECT_NE(wrong(parcel, std::vector{entry}), "");
  EXPECT_NE(wrong(parcel), "");
  entry = {mine(4100), 8, ParcelWhat::operate, SKEIN_ATOMIC_ADD, 0};
  EXPECT_NE(wrong(parcel, std::vector{entry, entry}), "");
  entry = {mine(4096), 8, static_cast<ParcelWhat>(4), 0, 0};
  EXPECT_NE(wrong(parcel, std::vector{entry}), "");
}

TEST_F(ChecksTest, RangesComeFromTheirLeader) {
  auto range = blank<RangeMessage>(0);
  range.call = 1;
  range.what = static_cast<uint64_t>(RangeChange::array);
  range.begin = slice / 2 + 4096;
  range.bytes = 8192;
  EXPECT_EQ(wrong(range), "");
  range.bytes = UINT64_C(1) << 48;
  EXPECT_NE(wrong(range), "");
  range.bytes = 8192;
  range.begin = 0;
  EXPECT_NE(wrong(range), "");
  range.begin = slice / 2 + 4096;
  range.header.from = 2;
  EXPECT_NE(wrong(range), "");
  range.what = static_cast<uint64_t>(RangeChange::map);
  range.begin = SKEIN_SHARED_BASE + 2 * slice + slice / 4 * 3 + 4096;
  EXPECT_EQ(wrong(range), "");
  range.begin = mine(slice / 4 * 3 + 4096);
  EXPECT_NE(wrong(range), "");
  range.what = 7000;
  EXPECT_EQ(wrong(range), "change 7000 of at most 5");
}

TEST_F(ChecksTest, RegionsOfThisNode) {
  FreedRegion region = {private_begin, 4096, id(0, 1)};
  EXPECT_NE(wrong(blank<RegionsMessage>(), std::vector{region}), "");
  region.begin += (private_end - private_begin) / 4;
  EXPECT_EQ(wrong(blank<RegionsMessage>(), std::vector{region}), "");
  region.bytes |= region_kept;
  EXPECT_EQ(wrong(blank<RegionsMessage>(), std::vector{region}), "");
  region.bytes |= 2;
  EXPECT_NE(wrong(blank<RegionsMessage>(), std::vector{region}), "");
  region.bytes = 4096;
  region.thread = 0;
  EXPECT_NE(wrong(blank<RegionsMessage>(), std::vector{region}), "");
}

TEST_F(ChecksTest, ClaimsOfRegionsOfThisNode) {
  auto claim = blank<ClaimMessage>();
  claim.call = 1;
  claim.begin = private_begin + (private_end - private_begin) / 4;
  claim.bytes = 64 << 10;
  EXPECT_EQ(wrong(claim), "");
  claim.bytes += 4096;
  EXPECT_NE(wrong(claim), "");
  claim.bytes = 64 << 10;
  claim.begin = private_begin;
  EXPECT_NE(wrong(claim), "");
  claim.begin += (private_end - private_begin) / 4 + 8;
  EXPECT_NE(wrong(claim), "");
  claim.begin -= 8;
  claim.call = 0;
  EXPECT_NE(wrong(claim), "");
}

TEST_F(ChecksTest, Channels) {
  auto channel = blank<ChannelMessage>();
  channel.call = 1;
  channel.channel = id(node.self, 1);
  channel.bytes = 8;
  EXPECT_NE(wrong(channel), ""); // the bytes are missing
  EXPECT_EQ(wrong(channel, std::vector<char>(8)), "");
  channel.operation = SKEIN_CHANNEL_RECEIVE;
  EXPECT_EQ(wrong(channel), "");
  EXPECT_NE(wrong(channel, std::vector<char>(8)), "");
  channel.operation = SKEIN_CHANNEL_CREATE;
  EXPECT_NE(wrong(channel), ""); // it names one
  channel.channel = 0;
  EXPECT_EQ(wrong(channel), "");
  channel.operation = SKEIN_CHANNEL_LEND + 1;
  EXPECT_NE(wrong(channel), "");

  auto lends = blank<ChannelMessage>();
  lends.call = 1;
  lends.channel = id(node.self, 1);
  lends.operation = SKEIN_CHANNEL_LEND;
  lends.bytes = 100000;
  const auto with_place = [&](uint64_t process, uint64_t record, size_t data_bytes = 16) {
    const uint64_t words[2] = {process, record};
    std::vector<char> place(16);
    memcpy(place.data(), words, sizeof words);
    place.resize(data_bytes);
    return wrong(lends, place);
  };
  EXPECT_EQ(with_place(1, 8), "");
  EXPECT_NE(with_place(1, 8, 8), "");
  EXPECT_NE(with_place(0, 8), "");
  EXPECT_NE(with_place(UINT64_C(1) << 31, 8), ""); // no number of a process
  EXPECT_NE(with_place(1, 0), "");
  EXPECT_NE(with_place(1, 12), "");
  lends.bytes = 0;
  EXPECT_NE(with_place(1, 8), "");

  auto offer = blank<OfferMessage>();
  offer.channel = id(node.self, 1);
  offer.bytes = 16;
  EXPECT_NE(wrong(offer), ""); // it has no number
  offer.alternative = 1;
  EXPECT_EQ(wrong(offer), "");
  offer.sends = 1;
  EXPECT_NE(wrong(offer), "");
  EXPECT_EQ(wrong(offer, std::vector<char>(16)), "");
  offer.channel = id(2, 1);
  EXPECT_NE(wrong(offer, std::vector<char>(16)), ""); // it is not this node that has it

  auto attempt = blank<AttemptMessage>();
  attempt.call = attempt.alternative = 1;
  attempt.bytes = 8;
  EXPECT_NE(wrong(attempt), "");
  EXPECT_EQ(wrong(attempt, std::vector<char>(8)), "");
  attempt.code = SKEIN_EMEMORY;
  EXPECT_EQ(wrong(attempt), "");
  attempt.code = error_most + 1;
  EXPECT_NE(wrong(attempt), "");

  auto withdraw = blank<WithdrawMessage>();
  EXPECT_NE(wrong(withdraw), "");
  withdraw.channel = id(node.self, 1);
  EXPECT_EQ(wrong(withdraw), ""); // the channel has been freed
  withdraw.alternative = 1;
  EXPECT_EQ(wrong(withdraw), "");

  auto moves = blank<ChannelMessage>(2);
  moves.call = 1;
  moves.operation = SKEIN_CHANNEL_CREATE;
  moves.channel = id(node.self, 1);
  moves.left_ns = 32;
  EXPECT_NE(wrong(moves), ""); // it is not the sender's
  moves.channel = id(2, 1);
  EXPECT_EQ(wrong(moves), "");
  moves.left_ns = UINT64_C(1) << 32;
  EXPECT_NE(wrong(moves), ""); // it has too much patience
  moves.channel = id(node.self, 1);
  moves.operation = SKEIN_CHANNEL_FILL;
  moves.left_ns = 1; // it is closed
  EXPECT_EQ(wrong(moves), "");
  moves.left_ns = 2;
  EXPECT_NE(wrong(moves), "");
  moves.left_ns = 0;
  std::vector<char> two(fill_bytes(3) + fill_bytes(0)); // a message of 3 bytes, and an empty one
  two[0] = 3;
  EXPECT_NE(wrong(moves, two), ""); // it says that it has none
  moves.bytes = two.size();
  EXPECT_EQ(wrong(moves, two), "");
  two[0] = 17;
  EXPECT_NE(wrong(moves, two), ""); // longer than what follows
  two[0] = 16;
  EXPECT_EQ(wrong(moves, two), "");
  two.resize(moves.bytes = 12);
  two[0] = 0;
  EXPECT_NE(wrong(moves, two), ""); // 4 bytes are no length
}

TEST_F(ChecksTest, Tracing) {
  auto classes = blank<TraceClassesMessage>();
  classes.classes = trace_classes_all;
  EXPECT_EQ(wrong(classes), "");
  classes.classes++;
  EXPECT_NE(wrong(classes), "");
  EXPECT_NE(wrong(blank<ClockMessage>()), ""); // this is not node 0
  auto told = blank<ClockToldMessage>(0);
  EXPECT_EQ(wrong(told), "");
  told.header.from = 2;
  EXPECT_NE(wrong(told), "");
  EXPECT_EQ(wrong(blank<SealKeyMessage>(0)), "");
  EXPECT_NE(wrong(blank<SealKeyMessage>(2)), "");
}

TEST_F(ChecksTest, WhatOnlyOneNodeSaysOrHears) {
  auto count = blank<CountMessage>(0);
  count.round = 1;
  EXPECT_EQ(wrong(count), "");
  count.header.from = 2;
  EXPECT_NE(wrong(count), "");
  auto counted = blank<CountedMessage>();
  counted.round = 1;
  EXPECT_NE(wrong(counted), ""); // this is not node 0
  auto agree = blank<AgreeMessage>();
  agree.call = 1;
  EXPECT_NE(wrong(agree), ""); // an agreement needs node 0 as well
  auto stand = blank<StandMessage>(0);
  EXPECT_NE(wrong(stand), ""); // there is no such call
  stand.call = 1;
  EXPECT_EQ(wrong(stand), "");
  stand.header.from = 2;
  EXPECT_NE(wrong(stand), "");
  EXPECT_NE(wrong(blank<QuietMessage>()), "");
  EXPECT_EQ(wrong(blank<QuietMessage>(0)), "");
  EXPECT_NE(wrong(blank<QuietMessage>(0), std::vector<char>(8)), "");
  EXPECT_NE(wrong(blank<CreditsMessage>()), ""); // there are no credits in it
  auto heartbeat = blank<HeartbeatMessage>();
  heartbeat.living = UINT64_MAX;
  EXPECT_NE(wrong(heartbeat), "");
}
