// Growable stacks: classes, limits, the quarantine, deep stacks.
#include "thread/growable.h"
#include "../accessible.h"
#include "arch/x86_64/switch.h"
#include "arena.h"
#include "thread/thread.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace skein;

extern "C" uintptr_t skein_growable_begin, skein_growable_bytes, skein_deep_begin, skein_deep_bytes;
namespace skein {
extern "C" Thread *skein_deep_change(Processor *processor, Thread *next);
}

namespace {

#if !defined(SKEIN_ASAN)

struct MarkedFunction {
  uint32_t padding[3], mark, code[4];
};
const MarkedFunction marked = {{}, SKEIN_GROWABLE_MARK, {}}, other = {{}, SKEIN_GROWABLE_MARK + 1, {}};

struct GrowableTest : testing::Test {
  static void SetUpTestSuite() {
    arena_once(); // stack_max is 1 MiB
    ASSERT_TRUE(growable_function(marked.code));
  }
};

size_t room(const Stack &stack) { return reinterpret_cast<uintptr_t>(stack.high) - stack_limit(stack); }

TEST_F(GrowableTest, ClassesDouble) {
  std::vector<Stack> stacks;
  size_t last = 0;
  for (size_t bytes = 1; bytes <= growable_bytes_max(); bytes = room(stacks.back()) + 1) {
    Stack stack = growable_acquire(bytes);
    ASSERT_TRUE(stack);
    stacks.push_back(stack);
    EXPECT_TRUE(is_growable(stack));
    EXPECT_GE(room(stack), bytes);
    EXPECT_GT(room(stack), last);
    last = room(stack);
    // Deltas are multiples of 64 KiB, and what lies just outside moves along.
    EXPECT_EQ(static_cast<size_t>(stack.high - stacks[0].high) % slot_alignment, 0u);
    EXPECT_GE(static_cast<size_t>(stack.low - stack.slot_begin), guard_bytes_min);
    EXPECT_GE(static_cast<size_t>(stack.slot_end - stack.high), guard_bytes_min);
    EXPECT_GE(stack_limit(stack) - reinterpret_cast<uintptr_t>(stack.low), 4u << 10); // headroom
    EXPECT_EQ(growable_containing(stack.low).slot, stack.slot);
    EXPECT_EQ(stack_containing(stack.high - 1).slot, stack.slot);
    std::memset(stack.low, 1, stack.bytes());
  }
  EXPECT_GE(last, growable_bytes_max());
  EXPECT_LE(stacks[0].bytes(), 32u << 10);
  EXPECT_FALSE(growable_acquire(last + 1));
  for (const Stack &stack : stacks)
    growable_release(stack);
}

TEST_F(GrowableTest, NoTwoShareASlotAndFreeOnesAreUsedAgain) {
  std::set<std::byte *> seen;
  std::vector<Stack> stacks;
  for (int i = 0; i < 5000; i++) {
    stacks.push_back(growable_acquire(0));
    ASSERT_TRUE(seen.insert(stacks.back().low).second);
  }
  const Stack one = stacks[1234];
  stack_release(one);
  EXPECT_EQ(growable_acquire(0).slot, one.slot);
  for (const Stack &stack : stacks)
    stack_release(stack);
}

TEST_F(GrowableTest, AStackThatWasLeftFaultsForLong) {
  Stack left = growable_acquire(0);
  growable_quarantine(left, true);
  EXPECT_FALSE(accessible(left.high - 1));
  std::vector<Stack> others;
  for (int i = 0; i < 500; i++) {
    others.push_back(growable_acquire(0));
    EXPECT_NE(others.back().slot, left.slot);
  }
  EXPECT_FALSE(accessible(left.low));
  for (const Stack &stack : others)
    growable_release(stack);
}

TEST_F(GrowableTest, StressNeverGetsAStackUsedLately) {
  Stack stack = growable_acquire(100 << 10);
  std::vector<uint32_t> last;
  for (int i = 0; i < 200; i++) {
    Stack fresh = stack_acquire_fresh(stack);
    ASSERT_TRUE(fresh);
    EXPECT_EQ(fresh.bytes(), stack.bytes());
    for (size_t back = last.size() > 60 ? last.size() - 60 : 0; back < last.size(); back++)
      EXPECT_NE(last[back], fresh.slot);
    stack_retire(stack, stack.high - 64);
    last.push_back(stack.slot);
    stack = fresh;
  }
  stack_release(stack);
}

TEST_F(GrowableTest, OnlyMarkedFunctionsGrow) {
  EXPECT_TRUE(growable_function(marked.code));
  EXPECT_FALSE(growable_function(other.code));
  Thread thread{};
  thread.start.function = reinterpret_cast<void (*)(void)>(reinterpret_cast<uintptr_t>(other.code));
  ASSERT_TRUE(thread_take_stack(&thread, 0));
  EXPECT_FALSE(is_growable(thread.stack));
  EXPECT_EQ(thread.limit, 0u);
  stack_release(thread.stack);
  thread.start.function = reinterpret_cast<void (*)(void)>(reinterpret_cast<uintptr_t>(marked.code));
  ASSERT_TRUE(thread_take_stack(&thread, 0));
  EXPECT_TRUE(is_growable(thread.stack));
  EXPECT_EQ(thread.limit, stack_limit(thread.stack));
  // The first context lies in the first page, with most of it to spare.
  thread_prepare(&thread);
  EXPECT_LE(reinterpret_cast<std::byte *>(thread.stack.high) - static_cast<std::byte *>(thread.sp), 256);
  stack_release(thread.stack);
}

TEST_F(GrowableTest, AnArrivingThreadGetsTheKindItHad) {
  Stack there = growable_acquire(300 << 10);
  Stack here = stack_acquire_arriving(there.slot, there.bytes(), 50 << 10);
  EXPECT_TRUE(is_growable(here));
  EXPECT_GE(room(here), 50u << 10);
  Stack fixed = stack_acquire_arriving(100, 64 << 10, 1 << 10);
  EXPECT_TRUE(fixed);
  EXPECT_FALSE(is_growable(fixed));
  for (const Stack &stack : {there, here, fixed})
    stack_release(stack);
}

TEST_F(GrowableTest, DeepStacksLieAboveAllLimitsAndChangeHands) {
  Stack large = growable_acquire(growable_bytes_max());
  Processor worker{};
  Thread first{}, second{};
  skein_deep_change(&worker, &first); // none yet: the worker gets one
  auto *top = static_cast<std::byte *>(worker.deep_top);
  ASSERT_NE(top, nullptr);
  EXPECT_GT(reinterpret_cast<uintptr_t>(top - growable_bytes_max()), reinterpret_cast<uintptr_t>(large.slot_end) - 1);
  EXPECT_LT(reinterpret_cast<uintptr_t>(top) - 1 - skein_deep_begin, skein_deep_bytes);
  EXPECT_GE(reinterpret_cast<uintptr_t>(top) - 1 - skein_growable_begin, skein_growable_bytes);
  DeepStack deep = deep_containing(top - 1);
  EXPECT_EQ(deep.high, top);
  EXPECT_TRUE(accessible(deep.low) && accessible(deep.high - 1));
  EXPECT_FALSE(accessible(deep.low - 1) || accessible(deep.high));
  // `first` is suspended on it (switch.S); `second` runs, then `first` goes on.
  first.deep = worker.deep_top;
  worker.deep_top = nullptr;
  skein_deep_change(&worker, &second);
  EXPECT_NE(worker.deep_top, static_cast<void *>(top));
  void *others = worker.deep_top;
  skein_deep_change(&worker, &first);
  EXPECT_EQ(worker.deep_top, static_cast<void *>(top));
  EXPECT_EQ(first.deep, nullptr);
  // What was given back is the next one handed out.
  Processor another{};
  skein_deep_change(&another, &second);
  EXPECT_EQ(another.deep_top, others);
  growable_release(large);
}

#endif

} // namespace
