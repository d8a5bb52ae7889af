// The table of what setjmp saved: these tests check what is dropped, what stays, and that a token is believed only by
// its thread.
#include "arena.h"
#include "thread/thread.h"

#include <gtest/gtest.h>

#include <random>

using namespace skein;

namespace {

struct JumpsTest : testing::Test {
  static void SetUpTestSuite() { arena_once(); }
  void SetUp() override {
    thread = thread_new();
    thread->stack = stack_acquire();
  }
  void TearDown() override { thread_delete(thread); }

  // Saves a context `depth` bytes below the end of the stack, as setjmp does.
  uint64_t keep(size_t depth, uint64_t site = 1, uint64_t buffer = 1) {
    JumpContext context = {};
    context.sp = reinterpret_cast<uint64_t>(thread->stack.high) - depth;
    context.return_address = site;
    context.buffer = buffer;
    context.r15 = depth;
    EXPECT_TRUE(jump_keep(*thread, context));
    return context.serial;
  }
  bool has(uint64_t serial) {
    JumpContext context;
    return jump_find(*thread, serial, context) && context.serial == serial;
  }
  size_t count() const { return thread->jumps->count(); }
  Thread *thread;
};

TEST_F(JumpsTest, NoneBeforeTheFirst) {
  EXPECT_EQ(thread->jumps, nullptr);
  EXPECT_FALSE(has(0));
  EXPECT_FALSE(has(1));
}

TEST_F(JumpsTest, ContextsOfFramesThatWereLeftGo) {
  uint64_t outer = keep(100), middle = keep(200), inner = keep(300);
  EXPECT_TRUE(has(outer) && has(middle) && has(inner));
  uint64_t other = keep(200, 2);
  EXPECT_TRUE(has(outer) && has(middle) && has(other));
  EXPECT_FALSE(has(inner));
  uint64_t again = keep(300);
  EXPECT_NE(again, inner);
  keep(50);
  EXPECT_EQ(count(), 1u);
}

TEST_F(JumpsTest, ALoopKeepsOneContextForEachSiteAndBuffer) {
  uint64_t a = keep(100, 1, 10), b = keep(100, 2, 10), c = keep(100, 1, 20);
  for (int turn = 0; turn < 100; ++turn) {
    EXPECT_EQ(keep(100, 1, 10), a);
    EXPECT_EQ(keep(100, 2, 10), b);
    EXPECT_EQ(keep(100, 1, 20), c);
  }
  EXPECT_EQ(count(), 3u);
}

TEST_F(JumpsTest, BuffersThatAreNeverUsedAgainAreForgotten) {
  uint64_t outer = keep(100), last = 0;
  for (uint64_t buffer = 0; buffer < 3 * jumps_per_frame_max; ++buffer)
    last = keep(200, 1, buffer);
  EXPECT_LE(count(), jumps_per_frame_max + 1);
  EXPECT_TRUE(has(outer) && has(last) && has(last - jumps_per_frame_max / 4));
  EXPECT_FALSE(has(last - 2 * jumps_per_frame_max));
}

TEST_F(JumpsTest, OnAnotherStackNothingIsKnownOfFrames) {
  uint64_t outer = keep(100);
  JumpContext context = {};
  uint64_t elsewhere;
  context.sp = reinterpret_cast<uint64_t>(&elsewhere);
  ASSERT_TRUE(jump_keep(*thread, context));
  EXPECT_TRUE(has(outer) && has(context.serial));
  uint64_t inner = keep(200); // the handler has been left
  EXPECT_TRUE(has(outer) && has(inner));
  EXPECT_FALSE(has(context.serial));
}

TEST_F(JumpsTest, NoWordOfTheTableIsAnAddress) {
  keep(100);
  auto *words = reinterpret_cast<const uint64_t *>(thread->jumps + 1);
  for (size_t i = 0; i < sizeof(JumpContext) / 8; ++i)
    EXPECT_FALSE(thread->stack.contains(reinterpret_cast<const void *>(words[i])));
}

TEST_F(JumpsTest, TokensAreSmallNumbersAndTheirThreadsOwn) {
  JumpToken token;
  uint64_t serial = 0;
  for (uint64_t wanted : {UINT64_C(1), UINT64_C(0xffff), UINT64_C(0x123456789abc)}) {
    token_write(token, 7, wanted);
    for (uint64_t word : token)
      EXPECT_LT(word, 65536u);
    EXPECT_TRUE(token_read(token, serial));
    EXPECT_EQ(serial, wanted);
    EXPECT_TRUE(token_made_by(token, 7));
    EXPECT_FALSE(token_made_by(token, 8));
    ++token[1];
    EXPECT_FALSE(token_made_by(token, 7));
  }
  JumpToken libc = {0, 0x7ffc12345678, 1, 2, 3};
  EXPECT_FALSE(token_read(libc, serial));
  EXPECT_FALSE(token_made_by(libc, 7));
}

// What the quick way does is what the other one would have done.
TEST_F(JumpsTest, TheQuickWayKeepsTheSame) {
  Thread *quick = thread_new();
  quick->stack = stack_acquire();
  std::minstd_rand random(7);
  size_t quickly = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const size_t depth = 128 + 16 * (random() % 40);
    const uint64_t site = random() % 2, buffer = random() % 3;
    const uint64_t serial = keep(depth, site, buffer);
    auto *registers = reinterpret_cast<JumpRegisters *>(quick->stack.high - depth) - 1;
    *registers = {.r15 = depth, .r14 = 0, .r13 = 0, .r12 = 0, .rbx = 0, .rbp = 0, .return_address = site};
    uint64_t kept = 0;
    if (quick->jumps)
      kept =
          quick->jumps->keep_quickly(*registers, buffer, quick->id, reinterpret_cast<uint64_t>(quick->stack.slot_end));
    if (kept != 0) {
      ++quickly;
    } else {
      JumpContext context = {};
      context.sp = reinterpret_cast<uint64_t>(registers + 1);
      context.return_address = site;
      context.buffer = buffer;
      context.r15 = depth;
      ASSERT_TRUE(jump_keep(*quick, context));
      kept = context.serial;
    }
    ASSERT_EQ(kept, serial);
    ASSERT_EQ(quick->jumps->count(), count());
    for (size_t i = 0; i < count(); ++i) {
      const JumpContext one = thread->jumps->get(i), other = quick->jumps->get(i);
      ASSERT_EQ(one.serial, other.serial);
      ASSERT_EQ(reinterpret_cast<uint64_t>(thread->stack.high) - one.sp,
                reinterpret_cast<uint64_t>(quick->stack.high) - other.sp);
      ASSERT_EQ(one.return_address, other.return_address);
      ASSERT_EQ(one.buffer, other.buffer);
      ASSERT_EQ(one.r15, other.r15);
      ASSERT_EQ(other.owner, quick->id);
    }
  }
  EXPECT_GT(quickly, 15000u);
  thread_delete(quick);
}

} // namespace
