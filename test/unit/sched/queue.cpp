// Queues of ready threads: order, fairness, and what thieves get.
#include "sched/bundles/queue.h"
#include "../in_scheduler.h"
#include "base/uneven_barrier.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

struct QueueTest : testing::Test {
  ReadyQueue queue;
  std::vector<Thread *> made;

  static void SetUpTestSuite() {
    in_scheduler(1, [] {}); // starts the room thread
  }
  Thread *fresh() {
    made.push_back(thread_new());
    return made.back();
  }
  Thread *started() {
    Thread *thread = fresh();
    thread->stack = stack_acquire();
    thread->state = ThreadState::running;
    return thread;
  }
  void TearDown() override {
    while (queue_pop(queue)) {
    }
    for (Thread *thread : made)
      thread_delete(thread);
  }
};

TEST_F(QueueTest, FirstInFirstOut) {
  Thread *a = started(), *b = started(), *c = started();
  for (Thread *thread : {a, b, c})
    queue_push(queue, thread);
  EXPECT_EQ(queue.count, 3u);
  EXPECT_EQ(a->bundle_data, &queue);
  EXPECT_EQ(queue_pop(queue), a);
  EXPECT_EQ(a->bundle_data, nullptr);
  EXPECT_EQ(queue_pop(queue), b);
  EXPECT_EQ(queue_pop(queue), c);
  EXPECT_EQ(queue_pop(queue), nullptr);
  EXPECT_EQ(queue.count, 0u);
}

TEST_F(QueueTest, ExchangeNeverShowsAnEmptyQueue) {
  Thread *a = started(), *b = started();
  EXPECT_EQ(queue_exchange(queue, a), nullptr);
  EXPECT_EQ(a->bundle_data, nullptr);
  queue_push(queue, b);
  EXPECT_EQ(queue_exchange(queue, a), b);
  EXPECT_EQ(queue.count, 1u);
  EXPECT_EQ(queue_pop(queue), a);
}

TEST_F(QueueTest, StartedBeforeFreshButNotForEver) {
  Thread *f = fresh();
  queue_push(queue, f);
  Thread *running = started();
  queue_push(queue, started());
  int turns = 0;
  while ((running = queue_exchange(queue, running)) != f) {
    ASSERT_LT(++turns, 100) << "two threads that yield starve a fresh one";
  }
  EXPECT_GE(turns, 2);
}

TEST_F(QueueTest, ThievesChoose) {
  Thread *s = started(), *f = fresh();
  queue_push(queue, s);
  queue_push(queue, f);
  Thread *taken = queue_take(queue, SKEIN_WANT_FRESH_FIRST);
  EXPECT_EQ(taken, f);
  EXPECT_EQ(queue_take(queue, SKEIN_WANT_FRESH_ONLY), nullptr);
  queue_push(queue, f); // it came back, and is still fresh
  EXPECT_EQ(queue_take(queue, SKEIN_WANT_STARTED_FIRST), s);
  EXPECT_EQ(queue_take(queue, SKEIN_WANT_STARTED_ONLY), nullptr);
  EXPECT_EQ(queue_take(queue, SKEIN_WANT_STARTED_FIRST), f);
  EXPECT_EQ(queue_take(queue, SKEIN_WANT_FRESH_FIRST), nullptr);
}

TEST_F(QueueTest, NewestFreshOneFirstButTheOldestNotForEver) {
  Thread *oldest = fresh(), *next = nullptr;
  queue_push(queue, oldest);
  uint32_t turns = 0;
  do {
    queue_push(queue, next ? next : fresh()); // always a newer one
    next = queue_pop(queue);
    ASSERT_LE(++turns, queue_fresh_most);
  } while (next != oldest);
  EXPECT_EQ(turns, queue_fresh_most);
}

/// A thief takes fresh threads first, and yet a started one must get away from a worker that computes for ever.
TEST_F(QueueTest, ThievesStarveNobody) {
  Thread *waits = started();
  queue_push(queue, waits);
  std::vector<Thread *> fresh_ones;
  for (uint32_t i = 0; i < queue_stolen_most + 2; i++) {
    fresh_ones.push_back(fresh());
    queue_push(queue, fresh_ones.back());
  }
  for (uint32_t i = 0; i < queue_stolen_most; i++)
    EXPECT_EQ(queue_steal(queue), fresh_ones[i]);
  EXPECT_EQ(queue_steal(queue), waits);
  EXPECT_EQ(queue_steal(queue), fresh_ones[queue_stolen_most]);
  EXPECT_EQ(queue_steal(queue), fresh_ones[queue_stolen_most + 1]);
  EXPECT_EQ(queue_steal(queue), nullptr);
}

TEST_F(QueueTest, WhoIsWantedIsTheNextFreshOneButTheOldestNotForEver) {
  Thread *oldest = fresh(), *wanted = fresh(), *newest = fresh();
  for (Thread *thread : {oldest, wanted, newest})
    queue_push(queue, thread);
  EXPECT_EQ(queue_turn(queue, wanted), wanted);
  Thread *elsewhere = fresh(), *waits = started();
  EXPECT_EQ(queue_turn(queue, elsewhere), newest);
  queue_push(queue, waits);
  EXPECT_EQ(queue_turn(queue, wanted), waits);
  EXPECT_EQ(queue_pop(queue), waits);
  for (uint32_t turns = 1; turns < queue_fresh_most; turns++) {
    ASSERT_EQ(queue_turn(queue, wanted), wanted);
    queue_take_turn(queue, wanted);
    queue_push(queue, wanted);
  }
  EXPECT_EQ(queue_turn(queue, wanted), oldest);
}

TEST_F(QueueTest, WhoAsksGetsTheOldest) {
  Processor worker;
  const Processor *before = skein_processor;
  skein_processor = &worker;
  ReadyQueue of_thief;
  bool answered = false;
  for (int round = 0; round < 1000 && !answered; round++) { // a thief that waits for too long takes the lock away
    queue.lock.set_owner(&worker);
    Thread *oldest = fresh(), *newest = fresh(), *got = nullptr;
    queue_push(queue, oldest);
    queue_push(queue, newest);
    std::atomic<bool> over{false};
    std::thread thief([&] {
      got = queue_ask(queue, of_thief);
      over = true;
    });
    while (!over)
      queue_answer(queue, 1);
    thief.join();
    answered = queue.lock.is_biased();
    EXPECT_EQ(got, oldest);
    EXPECT_EQ(of_thief.given, nullptr);
    EXPECT_EQ(queue.asked, nullptr);
    EXPECT_EQ(queue_pop(queue), newest);
    of_thief.asked_in_vain = 0;
  }
  EXPECT_TRUE(answered || !barrier_asymmetric);
  skein_processor = const_cast<Processor *>(before);
}

TEST_F(QueueTest, WhoAsksLeavesTheWorkerItsLastOne) {
  ReadyQueue of_thief;
  Thread *last = fresh();
  queue_push(queue, last);
  queue.asked = &of_thief;
  queue_answer(queue, 2);
  EXPECT_EQ(queue.asked, &of_thief);
  EXPECT_EQ(queue_pop(queue), last);
}

TEST_F(QueueTest, PinnedThreadsAreNotTaken) {
  Thread *a = started(), *b = started();
  a->pinned_by = "strtok";
  queue_push(queue, a);
  EXPECT_EQ(queue_take(queue, SKEIN_WANT_FRESH_FIRST), nullptr);
  queue_push(queue, b);
  EXPECT_EQ(queue_take(queue, SKEIN_WANT_FRESH_FIRST), b);
  EXPECT_EQ(queue_pop(queue), a); // a worker runs it
}

TEST_F(QueueTest, OneThreadIsTakenOnlyFromWhereItIs) {
  ReadyQueue other;
  Thread *a = started(), *b = started();
  queue_push(queue, a);
  queue_push(queue, b);
  EXPECT_FALSE(queue_take_this(other, b));
  EXPECT_TRUE(queue_take_this(queue, b));
  EXPECT_FALSE(queue_take_this(queue, b));
  EXPECT_EQ(queue.count, 1u);
}

} // namespace
