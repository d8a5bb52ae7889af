// What a parked thread keeps of its record, and the table that knows both kinds of threads.
#include "arena.h"
#include "thread/parked.h"
#include "thread/table.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace skein;

namespace {

struct ParkedTest : testing::Test {
  static void SetUpTestSuite() {
    arena_once();
    parked_start();
    ASSERT_TRUE(parked_table_start());
    parked_waits_in = [](const ParkedThread &) { return "a test"; };
  }
  /// A block for the thread, with `stack_bytes` of stack.
  static ParkedThread *block_of(const Thread &thread, size_t stack_bytes) {
    const uint64_t kept = parked_kept(thread);
    const uint8_t record_words = parked_record_words(kept);
    auto *block = new (malloc(ParkedThread::bytes_for(record_words, stack_bytes))) ParkedThread;
    block->parked = true;
    block->stack_words = static_cast<uint16_t>(stack_bytes / sizeof(uint64_t));
    block->record_words = record_words;
    block->id = thread.id;
    block->kept = kept;
    parked_keep(thread, kept, block->words());
    return block;
  }
};

TEST_F(ParkedTest, AFreshRecordKeepsNothing) {
  Thread *thread = thread_new(ThreadState::blocked);
  thread->wait_detail = 0;
  EXPECT_EQ(parked_kept(*thread), 0u);
  thread_delete(thread);
}

// Whatever the fields hold, they come back; what belongs to the stack, the wait and the table does not.
TEST_F(ParkedTest, RandomRecordsComeBack) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; round++) {
    Thread *thread = thread_new(ThreadState::blocked);
    const auto maybe = [&] { return random() % 3 ? 0 : random(); };
    thread->wait_detail = maybe();
    thread->stamp = maybe();
    thread->priority = static_cast<int32_t>(maybe());
    thread->moves = static_cast<uint16_t>(maybe());
    thread->follow_home = static_cast<uint16_t>(maybe());
    thread->result = maybe();
    thread->start.function = reinterpret_cast<void (*)(void)>(maybe());
    thread->start.classes = static_cast<uint32_t>(maybe());
    thread->start.count = static_cast<uint16_t>(maybe());
    thread->join_result.value = maybe();
    thread->global_holds = static_cast<uint8_t>(maybe());
    thread->daemon = random() % 2;
    thread->move_handlers = maybe();
    std::memset(thread->name, static_cast<int>(maybe() & 127), 3);
    thread->worker = static_cast<uint32_t>(maybe());
    thread->bundle = reinterpret_cast<skein_bundle *>(maybe());
    thread->follow.remote[2] = {static_cast<int>(maybe()), static_cast<uint32_t>(maybe())};
    thread->talking.last.store(static_cast<uint16_t>(maybe()));
    thread->segment = maybe();
    thread->births.wanted = random() % 2;
    thread->join.detached.store(random() % 2);
    auto *jumps = thread->jumps = reinterpret_cast<JumpTable *>(maybe());
    auto *text = thread->error_text = reinterpret_cast<char *>(maybe());
    thread->wait.record.next = reinterpret_cast<Link *>(random());
    thread->wait.object = reinterpret_cast<void *>(random());
    thread->sp = reinterpret_cast<void *>(random());

    ParkedThread *block = block_of(*thread, 64);
    Thread *back = thread_record_take();
    parked_restore(*block, *back);
    EXPECT_EQ(back->id, thread->id);
    EXPECT_EQ(back->wait_detail, thread->wait_detail);
    EXPECT_EQ(std::memcmp(static_cast<Travels *>(back), static_cast<Travels *>(thread), sizeof(Travels)), 0);
    EXPECT_EQ(back->worker, thread->worker);
    EXPECT_EQ(back->bundle, thread->bundle);
    EXPECT_EQ(back->follow.remote[2].node, thread->follow.remote[2].node);
    EXPECT_EQ(back->follow.remote[2].count, thread->follow.remote[2].count);
    EXPECT_EQ(back->talking.last.load(), thread->talking.last.load());
    EXPECT_EQ(back->segment, thread->segment);
    EXPECT_EQ(back->births.wanted, thread->births.wanted);
    EXPECT_EQ(back->join.detached.load(), thread->join.detached.load());
    EXPECT_EQ(back->jumps, jumps);
    EXPECT_EQ(back->error_text, text);
    EXPECT_EQ(back->state.load(), ThreadState::blocked);
    EXPECT_EQ(back->wait.object, nullptr);
    EXPECT_FALSE(back->wait.record.linked() || back->linked() || back->listed || back->stack || back->sp);
    // Running the block through a second time keeps the same words.
    EXPECT_EQ(parked_kept(*back), block->kept);
    std::vector<uint64_t> again(block->record_words);
    parked_keep(*back, block->kept, again.data());
    EXPECT_EQ(std::memcmp(again.data(), block->words(), again.size() * sizeof again[0]), 0);
    free(block);
    back->jumps = thread->jumps = nullptr;
    back->error_text = thread->error_text = nullptr;
    thread->wait.record.next = nullptr;
    thread_record_give(back);
    thread_delete(thread);
  }
}

// Whoever looks a parked thread up gets it back first, and nobody takes its id for one that is free.
TEST_F(ParkedTest, LookingUpBringsBack) {
  static ParkedThread *block;
  static Thread *fresh;
  Thread *thread = thread_new(ThreadState::blocked);
  const uint64_t id = thread->id;
  thread->stamp = 42;
  block = block_of(*thread, 0);
  {
    const ThreadPlace place = thread_place(id);
    BiasedGuard guard(place.lock(), skein_processor);
    parked_enter(place, block, thread);
    EXPECT_EQ(thread_find(place, id), nullptr);
    EXPECT_EQ(parked_find(id), block);
    EXPECT_EQ(parked_find(id + 1), nullptr);
  }
  thread_record_give(thread);
  EXPECT_EQ(parked_count(), 1u);
  bool here = false;
  EXPECT_EQ(thread_new_arriving(id, here, [](Thread *) {}), nullptr);
  EXPECT_TRUE(here);
  std::vector<uint64_t> seen;
  parked_each(
      [](Thread *copy, void *to) {
        EXPECT_EQ(copy->stamp, 42u);
        EXPECT_STREQ(copy->wait.reason, "a test");
        static_cast<std::vector<uint64_t> *>(to)->push_back(copy->id);
      },
      &seen);
  EXPECT_EQ(seen, std::vector<uint64_t>{id});
  parked_bring_back = [](uint64_t wanted) {
    EXPECT_EQ(wanted, block->id);
    fresh = thread_record_take();
    parked_restore(*block, *fresh);
    const ThreadPlace place = thread_place(wanted);
    BiasedGuard guard(place.lock(), skein_processor);
    parked_leave(place, block, fresh);
    free(block);
  };
  EXPECT_TRUE(thread_with(id, [&](Thread *found) { EXPECT_EQ(found->stamp, 42u); }));
  EXPECT_EQ(parked_count(), 0u);
  EXPECT_FALSE(thread_with(id + 1, [](Thread *) {}));
  thread_delete(fresh);
}

} // namespace
