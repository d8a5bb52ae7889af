// Golden bytes of the messages between nodes (docs/wire-format.md). If one of these fails, the format has changed:
// raise message_version (or bootstrap::version) and change the document with it.
#include "net/wire/messages.h"
#include "private/regions/regions.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace skein;

namespace {

/// The bytes of `value` as hex, in groups of eight.
template <class T> std::string hex(const T &value) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(&value);
  std::string text;
  for (size_t i = 0; i < sizeof value; i++) {
    char two[4];
    snprintf(two, sizeof two, "%02x", bytes[i]);
    text += two;
    if (i % 8 == 7 && i + 1 != sizeof value)
      text += ' ';
  }
  return text;
}

/// A message of type T with everything zero but the header: version, type, from node 258, proof 1122334455667788.
template <class T> T blank() {
  T message;
  memset(&message, 0, sizeof message);
  message.header = {message_version, static_cast<uint8_t>(T::type), 258, 0, 0, 0x1122334455667788};
  return message;
}

const std::string proof = " 8877665544332211";

} // namespace

TEST(WireFormat, Versions) {
  EXPECT_EQ(message_version, 16);
  EXPECT_EQ(bootstrap::version, 10);
}

TEST(WireFormat, TypesKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(MessageType::hello), 1);
  EXPECT_EQ(static_cast<int>(MessageType::heartbeat), 2);
  EXPECT_EQ(static_cast<int>(MessageType::threads), 3);
  EXPECT_EQ(static_cast<int>(MessageType::verdict), 4);
  EXPECT_EQ(static_cast<int>(MessageType::steal), 5);
  EXPECT_EQ(static_cast<int>(MessageType::nothing), 6);
  EXPECT_EQ(static_cast<int>(MessageType::policy), 7);
  EXPECT_EQ(static_cast<int>(MessageType::ended), 8);
  EXPECT_EQ(static_cast<int>(MessageType::moved), 9);
  EXPECT_EQ(static_cast<int>(MessageType::slot), 10);
  EXPECT_EQ(static_cast<int>(MessageType::join), 11);
  EXPECT_EQ(static_cast<int>(MessageType::global), 12);
  EXPECT_EQ(static_cast<int>(MessageType::global_create), 13);
  EXPECT_EQ(static_cast<int>(MessageType::statistics), 15);
  EXPECT_EQ(static_cast<int>(MessageType::count), 16);
  EXPECT_EQ(static_cast<int>(MessageType::counted), 17);
  EXPECT_EQ(static_cast<int>(MessageType::quiet), 18);
  EXPECT_EQ(static_cast<int>(MessageType::main_ended), 19);
  EXPECT_EQ(static_cast<int>(MessageType::allocate), 20);
  EXPECT_EQ(static_cast<int>(MessageType::release), 21);
  EXPECT_EQ(static_cast<int>(MessageType::reply), 24);
  EXPECT_EQ(static_cast<int>(MessageType::informed), 50);
  EXPECT_EQ(static_cast<int>(MessageType::farewell), 51);
  EXPECT_EQ(static_cast<int>(MessageType::estate), 52);
  EXPECT_EQ(static_cast<int>(MessageType::seal_key), 53);
  EXPECT_EQ(static_cast<int>(MessageType::coming), 54);
  EXPECT_EQ(static_cast<int>(MessageType::readable), 55);
  EXPECT_EQ(static_cast<int>(MessageType::stealing), 25);
  EXPECT_EQ(static_cast<int>(MessageType::wanted), 26);
  EXPECT_EQ(static_cast<int>(MessageType::regions), 27);
  EXPECT_EQ(static_cast<int>(MessageType::request), 28);
  EXPECT_EQ(static_cast<int>(MessageType::credits), 29);
  EXPECT_EQ(static_cast<int>(MessageType::await), 30);
  EXPECT_EQ(static_cast<int>(MessageType::quiesce), 31);
  EXPECT_EQ(static_cast<int>(MessageType::change), 33);
  EXPECT_EQ(static_cast<int>(MessageType::range), 34);
  EXPECT_EQ(static_cast<int>(MessageType::peer), 35);
  EXPECT_EQ(static_cast<int>(MessageType::detach), 36);
  EXPECT_EQ(static_cast<int>(MessageType::arrived), 37);
  EXPECT_EQ(static_cast<int>(MessageType::parcel), 38);
  EXPECT_EQ(static_cast<int>(MessageType::cancel), 39);
  EXPECT_EQ(static_cast<int>(MessageType::agree), 40);
  EXPECT_EQ(static_cast<int>(MessageType::stand), 41);
  EXPECT_EQ(static_cast<int>(MessageType::channel), 42);
  EXPECT_EQ(static_cast<int>(MessageType::offer), 43);
  EXPECT_EQ(static_cast<int>(MessageType::attempt), 44);
  EXPECT_EQ(static_cast<int>(MessageType::withdraw), 45);
  EXPECT_EQ(static_cast<int>(MessageType::trace_classes), 46);
  EXPECT_EQ(static_cast<int>(MessageType::clock), 47);
  EXPECT_EQ(static_cast<int>(MessageType::clock_told), 48);
}

TEST(WireFormat, Hello) {
  auto message = blank<HelloMessage>();
  for (uint8_t i = 0; i < 16; i++)
    message.token_proof[i] = static_cast<uint8_t>(0xa0 + i);
  message.abi_version = 1;
  message.image_version = 2;
  message.stack_geometry = 3;
  message.image_begin = 4;
  message.modules = 5;
  message.build_id[0] = 0xee;
  EXPECT_EQ(hex(message), "1001020100000000" + proof +
                              " a0a1a2a3a4a5a6a7 a8a9aaabacadaeaf 0100000002000000 0300000000000000 0400000000000000 "
                              "0500000000000000 ee00000000000000 0000000000000000 0000000000000000");
}

TEST(WireFormat, ThreadsAndVerdict) {
  auto threads = blank<ThreadsMessage>();
  threads.shipment = 5;
  threads.request = 6;
  threads.count = 7;
  threads.arrived = 8;
  threads.go_on = 1;
  threads.awaited = 1;
  threads.answer = 9;
  EXPECT_EQ(hex(threads), "1003020100000000" + proof +
                              " 0500000000000000 0600000000000000 0700000008000000 0100000001000000 0900000000000000");
  EXPECT_EQ(hex(blank<ArrivedMessage>()), "1025020100000000" + proof);
  EXPECT_EQ(hex(blank<ComingMessage>()), "1036020100000000" + proof);
  auto readable = blank<ReadableMessage>();
  readable.place = {1, 2};
  readable.is = static_cast<uint64_t>(Readable::no);
  EXPECT_EQ(hex(readable), "1037020100000000" + proof + " 0100000000000000 0200000000000000 0200000000000000");
  auto verdict = blank<VerdictMessage>();
  verdict.shipment = 5;
  verdict.refused = 1;
  EXPECT_EQ(hex(verdict), "1004020100000000" + proof + " 0500000000000000 0100000000000000");
  RefusedThread refused{};
  refused.index = 2;
  refused.code = 5;
  refused.fault = 6;
  memcpy(refused.text, "no", 3);
  EXPECT_EQ(hex(refused).substr(0, 53), "0200000005000000 0600000000000000 6e6f000000000000 00");
}

TEST(WireFormat, Stealing) {
  auto steal = blank<StealMessage>();
  steal.request = 1;
  steal.sent_ns = 2;
  steal.most = 3;
  steal.what = 1;
  steal.bundle = 4;
  EXPECT_EQ(hex(steal),
            "1005020100000000" + proof + " 0100000000000000 0200000000000000 0300000001000000 0400000000000000");
  auto nothing = blank<NothingMessage>();
  nothing.request = 1;
  EXPECT_EQ(hex(nothing), "1006020100000000" + proof + " 0100000000000000");
  auto policy = blank<PolicyMessage>();
  policy.policy = 1;
  EXPECT_EQ(hex(policy), "1007020100000000" + proof + " 0100000000000000");
}

TEST(WireFormat, Births) {
  EXPECT_EQ(hex(blank<EndedMessage>()), "1008020100000000" + proof);
  EXPECT_EQ(hex(blank<MovedMessage>()), "1009020100000000" + proof);
  MovedThread moved{1, 2, 3};
  EXPECT_EQ(hex(moved), "0100000000000000 0200000003000000");
  EXPECT_EQ(hex(blank<RegionsMessage>()), "101b020100000000" + proof);
  FreedRegion region{private_begin, 4096, 3};
  EXPECT_EQ(hex(region), "0000000000110000 0010000000000000 0300000000000000");
  auto slot = blank<SlotMessage>();
  slot.slot = 9;
  EXPECT_EQ(hex(slot), "100a020100000000" + proof + " 0900000000000000");
}

TEST(WireFormat, CallsAndReply) {
  auto claim = blank<ClaimMessage>();
  claim.call = 7;
  claim.begin = private_begin;
  claim.bytes = 65536;
  EXPECT_EQ(hex(claim), "1031020100000000" + proof + " 0700000000000000 0000000000110000 0000010000000000");
  auto detach = blank<DetachMessage>();
  detach.thread = 2;
  EXPECT_EQ(hex(detach), "1024020100000000" + proof + " 0200000000000000");

  auto agree = blank<AgreeMessage>();
  agree.call = 3;
  agree.value = 5;
  EXPECT_EQ(hex(agree), "1028020100000000" + proof + " 0300000000000000 0500000000000000");
  auto stand = blank<StandMessage>();
  stand.call = 4;
  EXPECT_EQ(hex(stand), "1029020100000000" + proof + " 0400000000000000");
  auto cancel = blank<CancelMessage>();
  cancel.thread = 2;
  EXPECT_EQ(hex(cancel), "1027020100000000" + proof + " 0200000000000000");
  EndedThread gone{2, {3, static_cast<uint32_t>(WireResultKind::real), 1}};
  EXPECT_EQ(hex(gone), "0200000000000000 0300000000000000 0300000001000000");
  auto join = blank<JoinMessage>();
  join.call = 1;
  join.thread = 2;
  EXPECT_EQ(hex(join), "100b020100000000" + proof + " 0100000000000000 0200000000000000");
  auto global = blank<GlobalMessage>();
  global.call = 1;
  global.object = 2;
  global.operation = 3;
  global.thread = 4;
  EXPECT_EQ(hex(global),
            "100c020100000000" + proof + " 0100000000000000 0200000000000000 0300000000000000 0400000000000000");
  auto create = blank<GlobalCreateMessage>();
  create.call = 1;
  create.kind = 2;
  create.value = 3;
  create.together = 4;
  create.home = 5;
  EXPECT_EQ(hex(create), "100d020100000000" + proof +
                             " 0100000000000000 0200000000000000 0300000000000000 0400000000000000 0500000000000000");
  auto parcel = blank<ParcelMessage>();
  parcel.call = 1;
  EXPECT_EQ(hex(parcel), "1026020100000000" + proof + " 0100000000000000");
  EXPECT_EQ(hex(ParcelEntry{UINT64_C(1) << 45, 4, ParcelWhat::operate, 3, 0}), "0000000000200000 0400000002030000");
  EXPECT_EQ(hex(ParcelResult{8, 5}), "0800000005000000");
  auto reply = blank<ReplyMessage>();
  reply.call = 1;
  reply.value = 2;
  EXPECT_EQ(hex(reply), "1018020100000000" + proof + " 0100000000000000 0200000000000000");
}

TEST(WireFormat, ActiveMessages) {
  auto request = blank<RequestMessage>();
  request.handler = 0x80000001;
  request.call = 2;
  EXPECT_EQ(hex(request), "101c020100000000" + proof + " 0100008000000000 0200000000000000");
  auto credits = blank<CreditsMessage>();
  credits.credits = 32;
  EXPECT_EQ(hex(credits), "101d020100000000" + proof + " 2000000000000000");
  auto await = blank<AwaitMessage>();
  await.call = 1;
  await.pending = 2;
  await.what = static_cast<uint64_t>(AwaitWhat::test);
  EXPECT_EQ(hex(await), "101e020100000000" + proof + " 0100000000000000 0200000000000000 0100000000000000");
  auto quiesce = blank<QuiesceMessage>();
  quiesce.call = 1;
  EXPECT_EQ(hex(quiesce), "101f020100000000" + proof + " 0100000000000000");
}

TEST(WireFormat, Channels) {
  auto channel = blank<ChannelMessage>();
  channel.call = 1;
  channel.channel = 2;
  channel.operation = 3;
  channel.bytes = 4;
  channel.left_ns = 5;
  EXPECT_EQ(hex(channel), "102a020100000000" + proof +
                              " 0100000000000000 0200000000000000 0300000000000000 0400000000000000 "
                              "0500000000000000");
  auto offer = blank<OfferMessage>();
  offer.channel = 1;
  offer.alternative = 2;
  offer.bytes = 3;
  offer.index = 4;
  offer.sends = 1;
  EXPECT_EQ(hex(offer),
            "102b020100000000" + proof + " 0100000000000000 0200000000000000 0300000000000000 0400000001000000");
  auto attempt = blank<AttemptMessage>();
  attempt.call = 1;
  attempt.alternative = 2;
  attempt.asking = 6;
  attempt.bytes = 3;
  attempt.index = 4;
  attempt.code = 5;
  EXPECT_EQ(hex(attempt), "102c020100000000" + proof +
                              " 0100000000000000 0200000000000000 0600000000000000 0300000000000000 0400000005000000");
  auto withdraw = blank<WithdrawMessage>();
  withdraw.channel = 1;
  withdraw.alternative = 2;
  EXPECT_EQ(hex(withdraw), "102d020100000000" + proof + " 0100000000000000 0200000000000000");
}

TEST(WireFormat, Tracing) {
  auto classes = blank<TraceClassesMessage>();
  classes.classes = 1;
  EXPECT_EQ(hex(classes), "102e020100000000" + proof + " 0100000000000000");
  auto clock = blank<ClockMessage>();
  clock.asked_ns = 1;
  clock.header.trace = 0x0203;
  EXPECT_EQ(hex(clock), "102f020100000302" + proof + " 0100000000000000");
  auto told = blank<ClockToldMessage>();
  told.asked_ns = 1;
  told.there_ns = 2;
  EXPECT_EQ(hex(told), "1030020100000000" + proof + " 0100000000000000 0200000000000000");
}

TEST(WireFormat, Termination) {
  auto counted = blank<CountedMessage>();
  counted.round = 1;
  counted.living = 2;
  counted.view = 3;
  counted.sent = 4;
  counted.handled = 5;
  counted.at_rest = 1;
  EXPECT_EQ(hex(counted), "1011020100000000" + proof +
                              " 0100000000000000 0200000000000000 0300000000000000 0400000000000000 "
                              "0500000000000000 0100000000000000");
  EXPECT_EQ(hex(blank<InformedMessage>()), "1032020100000000" + proof);
  auto key = blank<SealKeyMessage>();
  key.key[0] = 1;
  key.key[1] = 2;
  key.run = 3;
  EXPECT_EQ(hex(key), "1035020100000000" + proof + " 0100000000000000 0200000000000000 0300000000000000");
  auto farewell = blank<FarewellMessage>();
  farewell.leaves = 1;
  farewell.sent = 2;
  EXPECT_EQ(hex(farewell), "1033020100000000" + proof + " 0100000000000000 0200000000000000");
  auto estate = blank<EstateMessage>();
  estate.call = 1;
  estate.kind = 2;
  EXPECT_EQ(hex(estate), "1034020100000000" + proof + " 0100000000000000 0200000000000000");
  auto ended = blank<MainEndedMessage>();
  ended.status = -1;
  EXPECT_EQ(hex(ended), "1013020100000000" + proof + " ffffffffffffffff");
}

TEST(WireFormat, Bootstrap) {
  bootstrap::Welcome welcome{};
  welcome.header = {.type = bootstrap::Type::welcome, .node = 1, .status = 0};
  welcome.count = 4;
  welcome.founders = 2;
  welcome.token[0] = 0xaa;
  EXPECT_EQ(hex(welcome),
            "534b42530a000100 0100000000000000 0400000002000000 00000000aa000000 0000000000000000 0000000000000000 "
            "0000000000000000");
  bootstrap::ForkRequest request{};
  request.header = {.type = bootstrap::Type::fork, .node = 2, .status = 0};
  request.launcher = 258;
  request.bound = 1;
  request.cores[0] = 3;
  EXPECT_EQ(hex(request).substr(0, 53), "534b42530a000f00 0200000000000000 0201000001000000 03");
  const bootstrap::Forked forked{{.type = bootstrap::Type::forked, .node = 2, .status = -11}};
  EXPECT_EQ(hex(forked), "534b42530a001000 02000000f5ffffff");
}
