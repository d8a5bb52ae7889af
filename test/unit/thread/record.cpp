// Records of threads, ids, the table, error texts.
#include "arena.h"
#include "thread/thread.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace skein;

namespace {

struct RecordTest : testing::Test {
  static void SetUpTestSuite() { arena_once(); }
  void TearDown() override { node = {}; }
};

TEST_F(RecordTest, IdsCountUpAndNameTheirNode) {
  const auto next = [] {
    Thread *thread = thread_new();
    const uint64_t id = thread->id;
    thread_delete(thread);
    return id;
  };
  const uint64_t a = next(), b = next();
  EXPECT_EQ(b, a + 1);
  EXPECT_GT(a, main_id);
  EXPECT_TRUE(thread_id_given(a) && thread_id_given(main_id));
  EXPECT_FALSE(thread_id_given(b + 1));
  EXPECT_FALSE(thread_id_given(0));
  node = {3, 4};
  const uint64_t c = next();
  EXPECT_EQ(thread_id_node(c), 3);
  EXPECT_EQ(thread_id_number(c), b + 1);
  EXPECT_FALSE(thread_id_given(a)); // node 0's
  EXPECT_STREQ(thread_name(c).text, (std::to_string(b + 1) + " of node 3").c_str());
  EXPECT_STREQ(thread_name(7).text, "7");
}

TEST_F(RecordTest, ALifeBeginsAsItsFieldsSay) {
  alignas(Thread) std::byte begun[sizeof(ThreadLife)], made[sizeof(ThreadLife)];
  memset(begun, 0xff, sizeof begun);
  memset(made, 0, sizeof made);
  thread_life_begin(reinterpret_cast<ThreadLife &>(begun));
  new (made) ThreadLife();
  EXPECT_EQ(memcmp(begun, made, sizeof made), 0);
}

TEST_F(RecordTest, FoundByIdWhileItLives) {
  const uint64_t before = threads_living();
  Thread *thread = thread_new();
  const uint64_t id = thread->id;
  EXPECT_EQ(threads_living(), before + 1);
  Thread *found = nullptr;
  EXPECT_TRUE(thread_with(id, [&](Thread *one) { found = one; }));
  EXPECT_EQ(found, thread);
  EXPECT_EQ(thread->state.load(), ThreadState::initialised);
  EXPECT_FALSE(thread->stack);
  thread_unlist(thread);
  EXPECT_FALSE(thread_with(id, [](Thread *) {}));
  EXPECT_EQ(threads_living(), before + 1); // it lives until it is deleted
  thread_delete(thread);
  EXPECT_EQ(threads_living(), before);
}

TEST_F(RecordTest, ThreadsOfSeveralNodesWithOneNumber) {
  std::vector<Thread *> threads;
  for (uint64_t of = 0; of < 8; of++)
    threads.push_back(thread_new(99 | of << id_node_shift));
  for (Thread *thread : threads) {
    Thread *found = nullptr;
    thread_with(thread->id, [&](Thread *one) { found = one; });
    EXPECT_EQ(found, thread);
  }
  for (Thread *thread : threads)
    thread_delete(thread);
}

TEST_F(RecordTest, ARecordStartsClean) {
  Thread *thread = thread_new();
  thread_error(thread, 1, "old text");
  thread->join.awaited = true;
  thread->pinned_by = "strtok";
  thread_delete(thread);
  Thread *next = thread_new();
  EXPECT_EQ(next, thread); // the record is reused,
  EXPECT_FALSE(next->join.awaited);
  EXPECT_EQ(next->pinned_by, nullptr);
  EXPECT_TRUE(!next->error_text || !*next->error_text); // but not its error text
  thread_delete(next);
}

TEST_F(RecordTest, ARecordThatIsRenewedKeepsWhatOthersMayChange) {
  Thread *thread = thread_new(ThreadState::in_flight);
  thread->join.awaited = thread->births.wanted = thread->bound = true;
  thread->end.cancelled = true;
  thread->wait.reason = "skein_join";
  thread_renew(thread);
  EXPECT_EQ(thread->state.load(), ThreadState::in_flight);
  EXPECT_TRUE(thread->join.awaited && thread->births.wanted && thread->end.cancelled);
  EXPECT_FALSE(thread->bound);
  EXPECT_EQ(thread->wait.reason, nullptr);
  thread_delete(thread);
}

TEST_F(RecordTest, DeletingReleasesTheStack) {
  Thread *thread = thread_new();
  thread->stack = stack_acquire();
  const uint32_t slot = thread->stack.slot;
  thread_delete(thread);
  Stack stack = stack_acquire();
  EXPECT_EQ(stack.slot, slot);
  stack_release(stack);
}

TEST_F(RecordTest, EachVisitsAll) {
  std::set<Thread *> made, seen;
  for (int i = 0; i < 1000; i++)
    made.insert(thread_new());
  thread_each([](Thread *thread, void *context) { static_cast<std::set<Thread *> *>(context)->insert(thread); }, &seen);
  EXPECT_EQ(seen, made);
  for (Thread *thread : made)
    thread_delete(thread);
}

TEST_F(RecordTest, ErrorTextIsCutNotOverrun) {
  Thread *thread = thread_new();
  EXPECT_EQ(thread_error(thread, 5, "%s", std::string(2000, 'x').c_str()), 5);
  EXPECT_EQ(std::string(thread->error_text).size(), error_text_bytes - 1);
  thread_error_clear(thread);
  EXPECT_STREQ(thread->error_text, "");
  thread_delete(thread);
}

TEST_F(RecordTest, ParallelCreationAndEnd) {
  const uint64_t before = threads_living();
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 4; maker++)
    makers.emplace_back([] {
      std::vector<Thread *> mine;
      for (int i = 0; i < 20'000; i++) {
        if (mine.size() < 200) {
          Thread *thread = thread_new();
          thread->result = thread->id;
          mine.push_back(thread);
        } else {
          for (Thread *thread : mine) {
            ASSERT_EQ(thread->result, thread->id); // no other thread has this record
            thread_delete(thread);
          }
          mine.clear();
        }
      }
      for (Thread *thread : mine)
        thread_delete(thread);
      thread_cache_flush();
    });
  for (std::thread &maker : makers)
    maker.join();
  EXPECT_EQ(threads_living(), before);
}

TEST_F(RecordTest, StatesHaveNames) {
  EXPECT_STREQ(thread_state_name(ThreadState::initialised), "initialised");
  EXPECT_STREQ(thread_state_name(ThreadState::ended), "ended");
}

} // namespace
