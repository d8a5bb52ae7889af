// Threads are pushed to another node while they wait for an answer, and the answer comes early, late or never. It must
// reach each such thread once, wherever it is (net/moves/awaits.h). The test plays the other node.
#include "lone_node.h"

#include "../migrate/image_fixture.h"
#include "net/messages/calls.h"
#include "net/moves/awaits.h"
#include "net/moves/exchange.h"
#include "sched/sched.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <skein/skein.h>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

namespace {

constexpr uint64_t value = 0x1234567890abcdef; // the value of the answer
constexpr uint64_t call_of_peer = 50;          // the number of the call under which the thread waits at the peer
long outside;
unsigned answers; // how many answers have reached a thread that waits here as if it had never departed

/// The thread wants the value in a word of its stack whose content does not matter; this is its distance from the end.
constexpr uint64_t place_distance = 48;
uint64_t *place_of(const Thread &thread) { return reinterpret_cast<uint64_t *>(thread.stack.high - place_distance); }

void finish(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  answers++;
  if (reply && !reply->value && data_bytes == sizeof value)
    memcpy(call.place, reply + 1, data_bytes);
  thread_wake(call.waiter, reply ? reply->value : SKEIN_EDEAD);
}

/// A thread that has asked the peer, and waits.
struct Asker {
  Thread *thread = fixture::make_thread(fixture::next_id(), &outside);
  uint64_t id = thread->id, call;
  Asker() {
    thread_announce(thread);
    thread_block(thread, "skein_future_get", thread);
    call = call_begin({finish, peer(), thread, 0, place_of(*thread), sizeof value});
    call_sent_movable(call);
  }
};

/// Pushes a waiting thread to the peer; returns the number of the shipment.
uint64_t push(const Asker &waiting) {
  EXPECT_EQ(await_take(waiting.id, peer()), waiting.thread);
  Refusal why;
  EXPECT_TRUE(exchange_ship(waiting.thread, peer(), false, {}, why)) << why.text;
  return heard<ThreadsMessage>()->shipment;
}

Bytes answer_to(uint64_t call) { return make(ReplyMessage{{}, call, SKEIN_OK}, &value, sizeof value); }
Bytes asks_for(uint64_t departed) {
  return tell<AwaitMessage>(call_of_peer, departed, static_cast<uint64_t>(AwaitWhat::answer));
}
Bytes arrived(uint64_t shipment) { return make(ArrivedMessage{}, &shipment, sizeof shipment); }
Bytes refused(uint64_t shipment) {
  const RefusedThread row = {0, SKEIN_EREFUSED, 1, 0, "no room"};
  return make(VerdictMessage{{}, shipment, 1, 0}, &row, sizeof row);
}

/// Makes the message by which the thread of the last shipment comes back. At the peer it waited under call_of_peer.
Bytes comes_back() {
  const Bytes *threads = heard(MessageType::threads);
  Bytes image(threads->begin() + sizeof(ThreadsMessage), threads->end());
  auto *header = reinterpret_cast<ImageHeader *>(image.data());
  header->travels.moves++;
  header->travels.result = call_of_peer;
  image_seal(*header);
  ThreadsMessage message{};
  message.shipment = 1;
  message.count = 1;
  message.go_on = 1;
  message.awaited = 1;
  return make(message, image.data(), image.size());
}

/// The answers that the node has sent to a call of the peer.
std::vector<Bytes> replies_to(uint64_t call) {
  std::vector<Bytes> found;
  for (const Bytes &message : sent)
    if (message[1] == static_cast<unsigned char>(MessageType::reply) &&
        reinterpret_cast<const ReplyMessage *>(message.data())->call == call)
      found.push_back(message);
  return found;
}

/// Expects that the peer got the answer, once.
void expect_forwarded() {
  const auto replies = replies_to(call_of_peer);
  ASSERT_EQ(replies.size(), 1u);
  ASSERT_EQ(replies[0].size(), sizeof(ReplyMessage) + 2 * sizeof(uint64_t));
  uint64_t words[2];
  memcpy(words, &replies[0][sizeof(ReplyMessage)], sizeof words);
  EXPECT_EQ(words[0], place_distance);
  EXPECT_EQ(words[1], value);
}

/// Expects that the thread goes on here with the answer, once.
void expect_goes_on(uint64_t id) {
  Thread *thread = take_ready_for_steal();
  ASSERT_NE(thread, nullptr);
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  EXPECT_EQ(thread->id, id);
  EXPECT_EQ(thread->result, static_cast<uint64_t>(SKEIN_OK));
  EXPECT_EQ(*place_of(*thread), value);
  thread_abandon(thread);
}

class Awaits : public lone_node::Test {
protected:
  Awaits() { answers = 0; }
};

} // namespace

TEST_F(Awaits, TheAnswerFollowsAThreadThatHasArrived) {
  const Asker waiting;
  deliver(arrived(push(waiting)));
  deliver(asks_for(waiting.call));
  EXPECT_TRUE(replies_to(call_of_peer).empty());
  deliver(answer_to(waiting.call));
  expect_forwarded();
  EXPECT_EQ(answers, 0u);
}

TEST_F(Awaits, ItIsForwardedToTheFirstThatAsksForIt) {
  const Asker waiting;
  push(waiting);
  deliver(asks_for(waiting.call));
  deliver(tell<AwaitMessage>(call_of_peer + 1, waiting.call, static_cast<uint64_t>(AwaitWhat::answer)));
  const auto second = replies_to(call_of_peer + 1);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(reinterpret_cast<const ReplyMessage *>(second[0].data())->value, static_cast<uint64_t>(SKEIN_ETHREAD));
  deliver(answer_to(waiting.call));
  expect_forwarded();
}

TEST_F(Awaits, ARefusedThreadWaitsOn) {
  const Asker waiting;
  deliver(refused(push(waiting)));
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  deliver(answer_to(waiting.call));
  EXPECT_EQ(answers, 1u);
  expect_goes_on(waiting.id);
}

TEST_F(Awaits, ARefusedThreadGoesOnWithTheAnswerThatCameMeanwhile) {
  const Asker waiting;
  const uint64_t shipment = push(waiting);
  deliver(answer_to(waiting.call));
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  deliver(refused(shipment));
  EXPECT_EQ(answers, 1u);
  expect_goes_on(waiting.id);
}

TEST_F(Awaits, NobodyWantsTheAnswerOfAThreadThatWasLost) {
  const Asker before, after;
  push(before);
  deliver(answer_to(before.call));
  push(after);
  bury();
  meet();
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  EXPECT_EQ(answers, 0u);
  for (const Asker *lost : {&before, &after}) { // the wait is forgotten
    sent.clear();
    deliver(asks_for(lost->call));
    ASSERT_NE(heard<ReplyMessage>(), nullptr);
    EXPECT_EQ(heard<ReplyMessage>()->value, static_cast<uint64_t>(SKEIN_ETHREAD));
  }
}

TEST_F(Awaits, AnAnswerWhosePlaceIsNotInTheThreadIsNotBelieved) {
  const Asker waiting;
  push(waiting);
  deliver(comes_back());
  const auto *asked = heard<AwaitMessage>();
  ASSERT_NE(asked, nullptr);
  const uint64_t words[2] = {UINT64_C(1) << 40, value};
  deliver(make(ReplyMessage{{}, asked->call, SKEIN_OK}, words, sizeof words));
  EXPECT_NE(rejected.find("belong nowhere"), std::string::npos) << rejected;
  rejected.clear();
  Thread *thread = take_ready_for_steal();
  ASSERT_NE(thread, nullptr);
  EXPECT_EQ(thread->result, static_cast<uint64_t>(SKEIN_EDEAD));
  thread_abandon(thread);
}

// The thread goes to the peer and comes back, still waiting. Its answer, the peer's question for it, the news of its
// arrival there, and the thread itself reach the node in every order.
TEST_F(Awaits, ThereAndBackInEveryOrder) {
  std::array<int, 4> order = {0, 1, 2, 3};
  do {
    SCOPED_TRACE(testing::PrintToString(order));
    sent.clear();
    const Asker waiting;
    const uint64_t shipment = push(waiting);
    const std::array<Bytes, 4> news = {answer_to(waiting.call), asks_for(waiting.call), arrived(shipment),
                                       comes_back()};
    for (const int which : order) {
      EXPECT_EQ(take_ready_for_steal(), nullptr);
      deliver(news[static_cast<size_t>(which)]);
    }
    expect_forwarded();
    // The peer has got the answer, and forwards it.
    const Bytes forwarded = replies_to(call_of_peer)[0];
    const auto *asked = heard<AwaitMessage>();
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->pending, call_of_peer);
    deliver(make(ReplyMessage{{}, asked->call, SKEIN_OK}, &forwarded[sizeof(ReplyMessage)],
                 forwarded.size() - sizeof(ReplyMessage)));
    EXPECT_EQ(answers, 0u);
    expect_goes_on(waiting.id);
  } while (std::next_permutation(order.begin(), order.end()));
}
