// Threads are on their way between two nodes, and the news about them come in any order. A thread must never be in two
// places, nor in none (net/moves/exchange.h, births.h). The test plays the other node.
#include "lone_node.h"

#include "../migrate/image_fixture.h"
#include "net/messages/pending.h"
#include "net/moves/births.h"
#include "net/moves/exchange.h"
#include "net/moves/shipments.h"
#include "net/run/leaving.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <skein/skein.h>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

namespace {

long outside;

/// Makes a thread of this node that is not ready.
Thread *new_thread() {
  Thread *thread = fixture::make_thread(fixture::next_id(), &outside);
  thread_announce(thread);
  return thread;
}

/// Sends it to the peer, and returns the number of the shipment.
uint64_t ship(Thread *thread, uint64_t pending = 0) {
  Order order;
  order.pending = pending;
  order.function = "ship";
  Refusal why;
  EXPECT_TRUE(exchange_ship(thread, peer(), false, order, why)) << why.text;
  return heard<ThreadsMessage>()->shipment;
}

Bytes verdict(uint64_t shipment, std::vector<uint32_t> refused = {}) {
  std::vector<RefusedThread> rows;
  for (const uint32_t index : refused)
    rows.push_back({index, SKEIN_EREFUSED, 1, 0, "no room"});
  return make(VerdictMessage{{}, shipment, static_cast<uint32_t>(rows.size()), 0}, rows.data(),
              rows.size() * sizeof(RefusedThread));
}
Bytes arrived(uint64_t shipment) { return make(ArrivedMessage{}, &shipment, sizeof shipment); }
Bytes ended(uint64_t id, uint64_t result) {
  const EndedThread row = {id, {result, static_cast<uint32_t>(WireResultKind::integer), 0}};
  return make(EndedMessage{}, &row, sizeof row);
}
Bytes moved(uint64_t id, int to, uint32_t moves) {
  const MovedThread row = {id, static_cast<uint32_t>(to), moves};
  return make(MovedMessage{}, &row, sizeof row);
}

/// Takes the image of a thread from a shipment that the node has sent.
Bytes image_of(const Bytes &threads, uint32_t index = 0) {
  const unsigned char *at = threads.data() + sizeof(ThreadsMessage);
  while (index-- > 0)
    at += reinterpret_cast<const ImageHeader *>(at)->bytes;
  return Bytes(at, at + reinterpret_cast<const ImageHeader *>(at)->bytes);
}
/// Lets the thread of this image move on to the node.
Bytes comes_back(Bytes image, uint64_t shipment, bool damaged = false) {
  auto *header = reinterpret_cast<ImageHeader *>(image.data());
  header->travels.moves++;
  image_seal(*header);
  if (damaged)
    image.back() ^= 1;
  ThreadsMessage message{};
  message.shipment = shipment;
  message.count = 1;
  message.go_on = 1;
  message.awaited = 1;
  return make(message, image.data(), image.size());
}

bool here(uint64_t id) {
  return thread_with(id, [](Thread *) {});
}

/// Returns the only thread that is ready here; the caller then holds it.
Thread *only_ready() {
  Thread *ready = take_ready_for_steal();
  EXPECT_NE(ready, nullptr);
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  return ready;
}

using Moves = lone_node::Test;
using Shipments = lone_node::Test;
using Births = lone_node::Test;

} // namespace

TEST_F(Shipments, ArrivedMeansGoneOnce) {
  const uint64_t pending = pending_new();
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread, pending);
  EXPECT_TRUE(births_is_away(id));
  deliver(arrived(shipment));
  EXPECT_FALSE(here(id));
  EXPECT_TRUE(births_is_away(id));
  deliver(arrived(shipment));
  deliver(verdict(shipment));
  EXPECT_TRUE(births_is_away(id));
  EXPECT_EQ(end_of(pending), SKEIN_OK);
}

TEST_F(Shipments, RefusedGoesOnHere) {
  const uint64_t pending = pending_new();
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread, pending);
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  deliver(verdict(shipment, {0}));
  EXPECT_EQ(only_ready(), thread);
  EXPECT_FALSE(births_is_away(id));
  EXPECT_EQ(end_of(pending), SKEIN_EREFUSED);
  thread_abandon(thread);
}

TEST_F(Shipments, RefusedTwiceGoesOnOnce) {
  Thread *thread = new_thread();
  const uint64_t shipment = ship(thread);
  deliver(verdict(shipment, {0}));
  deliver(verdict(shipment, {0}));
  deliver(arrived(shipment));
  thread_abandon(only_ready());
}

// A kernel thread has looked whether the node takes threads, is away for a while, and sends a thread then. The node
// would refuse it, or would be gone.
TEST_F(Shipments, NothingIsSentToANodeThatLeaves) {
  const uint64_t pending = pending_new();
  Thread *thread = new_thread();
  const uint64_t id = thread->id;
  Order order;
  order.pending = pending;
  order.function = "ship";
  Refusal why;
  leaving_drain(peer(), true);
  sent.clear();
  EXPECT_TRUE(exchange_ship(thread, peer(), false, order, why)) << why.text;
  EXPECT_EQ(heard<ThreadsMessage>(), nullptr);
  EXPECT_EQ(only_ready(), thread);
  EXPECT_FALSE(births_is_away(id));
  EXPECT_FALSE(shipments_go_to(peer()));
  EXPECT_EQ(end_of(pending), SKEIN_ELEAVES);
  thread_abandon(thread);
}

TEST_F(Shipments, NobodyPartsFromANodeThatHasNotSaidWhatBecameOfAThread) {
  Thread *thread = new_thread();
  const uint64_t shipment = ship(thread);
  leaving_drain(peer(), true);
  leaving_part(peer());
  sent.clear();
  leaving_tick(clock_ns());
  EXPECT_EQ(heard<FarewellMessage>(), nullptr);
  deliver(verdict(shipment, {0}));
  leaving_tick(clock_ns());
  EXPECT_NE(heard<FarewellMessage>(), nullptr);
  thread_abandon(only_ready());
}

TEST_F(Shipments, TheEndOvertakesTheVerdict) {
  const uint64_t pending = pending_new();
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread, pending);
  deliver(ended(id, 7));
  EXPECT_FALSE(here(id));
  EXPECT_FALSE(births_is_away(id));
  EXPECT_EQ(end_of(pending), SKEIN_OK);
  deliver(verdict(shipment)); // this one comes late
  EXPECT_FALSE(births_is_away(id));
}

TEST_F(Shipments, ComesBackBeforeItsVerdict) {
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread);
  deliver(comes_back(image_of(*heard(MessageType::threads)), 1));
  ASSERT_NE(heard<VerdictMessage>(), nullptr);
  EXPECT_EQ(heard<VerdictMessage>()->refused, 0u);
  EXPECT_EQ(only_ready(), thread) << "it goes on in its old record";
  EXPECT_TRUE(here(id));
  EXPECT_FALSE(births_is_away(id));
  deliver(arrived(shipment)); // this one comes late
  EXPECT_TRUE(here(id));
  EXPECT_FALSE(births_is_away(id));
  thread_abandon(thread);
}

TEST_F(Shipments, ADamagedImageSaysNothingOfItsThread) {
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread);
  deliver(comes_back(image_of(*heard(MessageType::threads)), 1, true));
  ASSERT_NE(heard<VerdictMessage>(), nullptr);
  EXPECT_EQ(heard<VerdictMessage>()->refused, 1u);
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  EXPECT_TRUE(births_is_away(id));
  deliver(verdict(shipment, {0})); // it has never been there
  EXPECT_EQ(only_ready(), thread);
  thread_abandon(thread);
}

TEST_F(Shipments, OnesThatNeverLeftRejectWhoNamesThem) {
  deliver(arrived(UINT64_C(1) << 40));
  EXPECT_NE(rejected.find("no shipment 0x10000000000 has gone there"), std::string::npos) << rejected;
  rejected.clear();
}

// The number of a shipment says where it went, so this is known even of one that is settled.
TEST_F(Shipments, OnesThatWentElsewhereRejectWhoNamesThem) {
  const uint64_t shipment = ship(new_thread());
  deliver(arrived(shipment));
  deliver(arrived(shipment));
  EXPECT_EQ(rejected, "");
  deliver(verdict(shipment ^ 2));
  EXPECT_NE(rejected.find("has gone there"), std::string::npos) << rejected;
  rejected.clear();
}

TEST_F(Shipments, SomeOfManyAreRefused) {
  constexpr uint32_t many = 10;
  for (uint32_t i = 0; i < many; i++)
    thread_ready(new_thread());
  const uint64_t pending = pending_new();
  Order order;
  order.pending = pending;
  const ShipOutcome outcome = exchange_ship_ready(peer(), 0, many, {}, order);
  EXPECT_EQ(outcome.threads, many);
  const Bytes message = *heard(MessageType::threads);
  const std::vector<uint32_t> refused = {0, 3, 9};
  std::set<uint64_t> stay;
  for (const uint32_t index : refused) {
    const Bytes image = image_of(message, index);
    stay.insert(reinterpret_cast<const ImageHeader *>(image.data())->travels.id);
  }
  deliver(verdict(reinterpret_cast<const ThreadsMessage *>(message.data())->shipment, refused));
  for (size_t i = 0; i < refused.size(); i++) {
    Thread *thread = take_ready_for_steal();
    ASSERT_NE(thread, nullptr);
    EXPECT_EQ(stay.erase(thread->id), 1u);
    thread_abandon(thread);
  }
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  EXPECT_EQ(end_of(pending), SKEIN_OK) << "some have arrived";
}

TEST_F(Shipments, ADeathLosesWhatWasOnItsWay) {
  const uint64_t pending = pending_new();
  Thread *thread = new_thread();
  const uint64_t id = thread->id;
  ship(thread, pending);
  bury();
  meet();
  EXPECT_FALSE(here(id));
  EXPECT_EQ(take_ready_for_steal(), nullptr);
  EXPECT_EQ(end_of(pending), SKEIN_EDEAD);
}

TEST_F(Births, NewsOfAMoveThatComeLateMakeNoRecord) {
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread);
  deliver(arrived(shipment));
  deliver(ended(id, 7));
  EXPECT_FALSE(births_is_away(id));
  deliver(moved(id, 1, 3));
  EXPECT_FALSE(births_is_away(id));
}

TEST_F(Births, AJoinFromElsewhereHearsTheEnd) {
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread);
  deliver(tell<JoinMessage>(uint64_t{5}, id));
  deliver(arrived(shipment));
  EXPECT_EQ(heard<ReplyMessage>(), nullptr);
  deliver(ended(id, 7));
  const Bytes *message = heard(MessageType::reply);
  ASSERT_NE(message, nullptr);
  ASSERT_EQ(message->size(), sizeof(ReplyMessage) + sizeof(WireResult));
  const auto *reply = reinterpret_cast<const ReplyMessage *>(message->data());
  EXPECT_EQ(reply->call, 5u);
  EXPECT_EQ(reply->value, static_cast<uint64_t>(SKEIN_OK));
  EXPECT_EQ(reinterpret_cast<const WireResult *>(reply + 1)->value, 7u);
}

TEST_F(Births, AJoinOfAThreadThatWasLostIsAnsweredAtOnce) {
  Thread *thread = new_thread();
  const uint64_t id = thread->id, shipment = ship(thread);
  deliver(arrived(shipment));
  EXPECT_TRUE(births_is_away(id));
  bury();
  meet();
  EXPECT_FALSE(births_is_away(id));
  deliver(tell<JoinMessage>(uint64_t{6}, id));
  ASSERT_NE(heard<ReplyMessage>(), nullptr);
  EXPECT_EQ(heard<ReplyMessage>()->call, 6u);
}

// The peer takes threads, refuses some, sends them back, or runs them to their end. Its news arrive late and in any
// order, some of them twice. The model knows where each thread is.
TEST_F(Moves, InWhateverOrder) {
  enum class Place { here, on_its_way, there, on_its_way_back, ending, ended };
  struct Known {
    Place place = Place::here;
    Thread *held = nullptr; // the thread is here, and not given to the node
    Bytes image;            // the thread is at the peer
  };
  for (unsigned seed = 0; seed < 300; seed++) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return random() % n; };
    std::map<uint64_t, Known> threads;
    struct News {
      Bytes message;
      uint64_t id;
      Place place; // the thread is there when this has arrived
    };
    std::vector<News> news;
    for (int i = 0; i < 6; i++) {
      Thread *thread = new_thread();
      threads[thread->id] = {Place::here, thread, {}};
    }
    uint64_t shipments_of_peer = 0;
    for (int step = 0; step < 120 || !news.empty(); step++) {
      auto chosen = threads.begin();
      std::advance(chosen, below(threads.size()));
      const uint64_t id = chosen->first;
      Known &thread = chosen->second;
      if (step < 120 && thread.place == Place::here && below(2)) {
        const uint64_t shipment = ship(thread.held);
        thread.held = nullptr;
        const Bytes image = image_of(*heard(MessageType::threads));
        if (below(4) == 0) {
          thread.place = Place::on_its_way;
          news.push_back({verdict(shipment, {0}), id, Place::here});
        } else {
          thread.place = Place::there;
          thread.image = image;
          news.push_back({below(2) ? arrived(shipment) : verdict(shipment), id, Place::there});
        }
      } else if (step < 120 && thread.place == Place::there && below(2)) {
        if (below(3) == 0) {
          thread.place = Place::ending;
          news.push_back({ended(id, step), id, Place::ended});
        } else {
          thread.place = Place::on_its_way_back;
          news.push_back({comes_back(thread.image, ++shipments_of_peer), id, Place::here});
        }
      } else if (!news.empty()) {
        std::swap(news[below(news.size())], news.back());
        News next = news.back();
        if (next.place != Place::there || below(8)) // its arrival may be told twice
          news.pop_back();
        deliver(next.message);
        ASSERT_EQ(rejected, "");
        Known &told = threads[next.id];
        if (next.place == Place::here) {
          told.place = Place::here;
          told.held = only_ready();
          ASSERT_NE(told.held, nullptr);
          ASSERT_EQ(told.held->id, next.id);
        } else {
          ASSERT_EQ(take_ready_for_steal(), nullptr);
        }
        if (next.place == Place::ended)
          told.place = Place::ended;
        ASSERT_EQ(births_is_away(next.id), told.place != Place::here && told.place != Place::ended);
      }
    }
    for (auto &[id, thread] : threads) {
      ASSERT_EQ(here(id), thread.place == Place::here);
      ASSERT_EQ(births_is_away(id), thread.place == Place::there);
      if (thread.held)
        thread_abandon(thread.held);
    }
    bury();
    meet();
  }
}
