// A node leaves the run, and this one, node 0, is its heir (net/run/leaving.h). The test plays the node that leaves,
// and the launcher.
#include "../migrate/image_fixture.h"
#include "lone_node.h"

#include "base/node.h"
#include "net/messages/calls.h"
#include "net/moves/births.h"
#include "net/moves/exchange.h"
#include "net/run/leaving.h"
#include "net/run/membership.h"
#include "os/linux/futex.h"
#include "thread/thread.h"

#include <gtest/gtest.h>
#include <skein/skein.h>

using namespace skein;
using namespace skein::test;
using namespace skein::test::lone_node;

namespace {

constexpr int leaver = 1;

uint64_t born_there(uint64_t number) { return static_cast<uint64_t>(leaver) << id_node_shift | number; }

/// A row of a piece with threads: what, thread, and two words (birth_estate.cpp).
using Row = std::array<uint64_t, 4>;
constexpr uint64_t row_away = 0, row_watch = 1, row_result = 3;
Bytes threads(std::vector<Row> rows) {
  return make(EstateMessage{{}, 1, static_cast<uint64_t>(EstateKind::threads)}, rows.data(), rows.size() * sizeof(Row));
}

/// So many messages that count have been delivered: threads of the estate.
Bytes farewell(uint64_t sent) { return tell<FarewellMessage>(uint64_t{1}, sent); }

void tick() { leaving_tick(clock_ns()); }
/// Handles messages of the node to itself.
void drive() { link_drive(true); }

uint64_t answered; // the code of the last answer to a call of `ask_end`, and one
uint64_t result;
void ask_end(uint64_t thread) {
  answered = result = 0;
  const auto note = [](const Call &, const ReplyMessage *reply, size_t bytes) {
    answered = reply ? reply->value + 1 : UINT64_MAX;
    if (bytes == sizeof(WireResult))
      result = reinterpret_cast<const WireResult *>(reply + 1)->value;
  };
  births_tell_end(thread, call_begin(kept({note, thread_id_node(thread), nullptr, thread, nullptr, 0})));
}

/// News of the end of a thread, as its node sends them to the node of its birth.
void tell_ended(uint64_t thread, uint64_t value) {
  auto *message = message_new<EndedMessage>(sizeof(EndedThread));
  const EndedThread row = {thread, {value, static_cast<uint32_t>(WireResultKind::integer), 0}};
  memcpy(message + 1, &row, sizeof row);
  link_send(thread_id_node(thread), message, sizeof row);
}

class EstatesTest : public lone_node::Test {
protected:
  /// The leaver leaves these threads, as the launcher arranges it, and nothing else.
  static void leave(const std::vector<Row> &rows) {
    leaving_drain(leaver, true);
    leaving_part(leaver);
    tick();
    deliver(threads(rows));
    deliver(farewell(1));
    leaving_departed(leaver);
    tick();
  }
};

} // namespace

TEST_F(EstatesTest, NothingNewGoesToANodeThatLeaves) {
  EXPECT_TRUE(link_takes(leaver));
  leaving_drain(leaver, true);
  EXPECT_FALSE(link_takes(leaver));
  EXPECT_TRUE(link_alive(leaver));
  EXPECT_STREQ(link_state(leaver), "is about to leave the run");
  leaving_drain(leaver, false); // it stays after all
  EXPECT_TRUE(link_takes(leaver));
}

TEST_F(EstatesTest, TheHeirAnswersForThreadsThatWereBornThere) {
  leave({{row_away, born_there(5), 0, 1}, {row_result, born_there(6), 66, 1}});
  EXPECT_EQ(keeper_of(leaver), 0);
  EXPECT_FALSE(link_alive(leaver));
  EXPECT_EQ(deaths_known(), 0);
  ask_end(born_there(6)); // it has ended
  drive();
  EXPECT_EQ(answered, SKEIN_OK + 1u);
  EXPECT_EQ(result, 66u);
  ask_end(born_there(5));
  drive();
  EXPECT_EQ(answered, 0u); // not yet
  tell_ended(born_there(5), 55);
  drive();
  EXPECT_EQ(answered, SKEIN_OK + 1u);
  EXPECT_EQ(result, 55u);
}

TEST_F(EstatesTest, AWaiterIsInherited) {
  answered = 0;
  const auto note = [](const Call &, const ReplyMessage *reply, size_t) { answered = reply->value + 1; };
  const uint64_t call = call_begin(kept({note, leaver, nullptr, 0, nullptr, 0})); // the leaver owes the answer
  leave({{row_away, born_there(7), 0, 1}, {row_watch, born_there(7), 0, call}});
  EXPECT_EQ(answered, 0u);
  tell_ended(born_there(7), 1);
  drive();
  EXPECT_EQ(answered, SKEIN_OK + 1u);
}

TEST_F(EstatesTest, MessagesToTheKeeperAreHeldBackUntilTheHeirHasTheEstate) {
  leaving_drain(leaver, true);
  ask_end(born_there(8));
  ASSERT_NE(heard<JoinMessage>(), nullptr);
  leaving_part(leaver);
  tick();
  const auto *said = heard<FarewellMessage>();
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->leaves, 0u);
  EXPECT_EQ(said->sent, 1u);
  sent.clear();
  tell_ended(born_there(9), 99);
  drive();
  EXPECT_EQ(heard<EndedMessage>(), nullptr);
  const Traffic before = link_traffic();
  EXPECT_GT(before.sent, before.handled); // so the run is not at rest
  deliver(threads({{row_away, born_there(9), 0, 1}}));
  deliver(farewell(1));
  leaving_departed(leaver);
  drive();
  tick();
  EXPECT_FALSE(births_is_away(born_there(9)));
  const Traffic after = link_traffic();
  EXPECT_EQ(after.sent, after.handled);
  EXPECT_GT(after.view, before.view);
}

TEST_F(EstatesTest, ANodeIsForgottenWhenAllOfItsMessagesAreHandled) {
  leaving_drain(leaver, true);
  leaving_part(leaver);
  tick();
  deliver(threads({}));
  deliver(farewell(2)); // and one that has been overtaken
  leaving_departed(leaver);
  tick();
  EXPECT_TRUE(link_alive(leaver));
  EXPECT_EQ(keeper_of(leaver), 0);
  deliver(threads({{row_result, born_there(10), 1, 1}}));
  tick();
  EXPECT_FALSE(link_alive(leaver));
}

// The kernel thread that sends it had looked before the node left.
TEST_F(EstatesTest, AThreadForANodeThatHasLeftGoesOnHere) {
  static long outside;
  Thread *thread = fixture::make_thread(fixture::next_id(), &outside);
  thread_announce(thread);
  const uint64_t id = thread->id;
  leave({});
  EXPECT_FALSE(link_alive(leaver));
  Refusal why;
  sent.clear();
  EXPECT_TRUE(exchange_ship(thread, leaver, false, {}, why)) << why.text;
  EXPECT_EQ(heard<ThreadsMessage>(), nullptr);
  EXPECT_FALSE(births_is_away(id));
  EXPECT_EQ(take_ready_for_steal(), thread);
  thread_abandon(thread);
}

TEST_F(EstatesTest, CallsThatTheHeirDoesNotAnswerFail) {
  answered = 0;
  const auto note = [](const Call &, const ReplyMessage *reply, size_t) { answered = reply ? 1 : UINT64_MAX; };
  call_begin({note, leaver, nullptr, 0, nullptr, 0});
  leave({});
  EXPECT_EQ(answered, UINT64_MAX);
}

TEST_F(EstatesTest, ANodeThatDiesLeavesNothing) {
  leaving_drain(leaver, true);
  leaving_part(leaver);
  tick();
  deliver(threads({{row_away, born_there(11), 0, 1}}));
  tell_ended(born_there(12), 1); // is held back
  membership_died(leaver, "was killed");
  EXPECT_FALSE(births_is_away(born_there(11)));
  EXPECT_EQ(keeper_of(leaver), leaver);
  EXPECT_STREQ(link_state(leaver), "is dead");
  const Traffic traffic = link_traffic();
  EXPECT_EQ(traffic.sent, traffic.handled);
}

TEST_F(EstatesTest, OnlyANodeThatLeavesHasAnEstate) {
  deliver(threads({{row_away, born_there(13), 0, 1}}));
  EXPECT_NE(rejected, "");
  rejected.clear();
}

TEST_F(EstatesTest, OnlyANodeThatLeavesSaysFarewell) {
  deliver(farewell(1));
  EXPECT_NE(rejected, "");
  rejected.clear();
}

TEST_F(EstatesTest, DamagedPiecesAreRejected) {
  for (const Row &row : {Row{9, born_there(1), 0, 0}, Row{row_away, 1, 0, 0}, Row{row_away, born_there(0), 0, 0},
                         Row{row_away, born_there(1), 2, 0}, Row{row_result, born_there(1), 0, 9}}) {
    leaving_drain(leaver, true);
    deliver(threads({row}));
    EXPECT_NE(rejected, "") << row[0] << ' ' << row[1] << ' ' << row[2] << ' ' << row[3];
    bury();
    meet();
  }
}
