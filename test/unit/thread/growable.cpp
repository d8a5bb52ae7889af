// Stacks that grow: these tests check their size, their limits, what they give back, and deep stacks.
#include "thread/growable.h"
#include "../accessible.h"
#include "arch/x86_64/switch.h"
#include "arena.h"
#include "thread/deep.h"
#include "thread/slots.h"
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

size_t room(const Stack &stack, size_t use) {
  return reinterpret_cast<uintptr_t>(stack.high) - stack_limit(stack, use);
}

TEST_F(GrowableTest, TheLimitFollowsWhatIsInUse) {
  const Stack stack = stack_acquire_growing();
  ASSERT_TRUE(stack);
  EXPECT_TRUE(is_growable(stack));
  size_t last = 0;
  for (size_t use = 0; use <= growable_bytes_max(); use = room(stack, use) + 1) {
    EXPECT_GE(room(stack, use), use);
    EXPECT_GT(room(stack, use), last);
    last = room(stack, use);
  }
  EXPECT_GE(last, growable_bytes_max());
  // The last limit leaves the headroom, and pointers just outside the stack move along.
  EXPECT_GE(static_cast<size_t>(stack.high - stack.low) - last, growable_headroom());
  EXPECT_GE(static_cast<size_t>(stack.low - stack.slot_begin), guard_bytes_min);
  EXPECT_GE(static_cast<size_t>(stack.slot_end - stack.high), guard_bytes_min);
  EXPECT_EQ(stack_containing(stack.low).slot, stack.slot);
  EXPECT_EQ(stack_containing(stack.high - 1).slot, stack.slot);
  std::memset(stack.low, 1, stack.bytes());
  stack_release(stack);
}

TEST_F(GrowableTest, NoTwoShareASlotAndFreeOnesAreUsedAgain) {
  std::set<std::byte *> seen;
  std::vector<Stack> stacks;
  for (int i = 0; i < 5000; i++) {
    stacks.push_back(stack_acquire_growing());
    ASSERT_TRUE(seen.insert(stacks.back().low).second);
    EXPECT_EQ(static_cast<size_t>(stacks.back().high - stacks[0].high) % slot_alignment, 0u);
  }
  const Stack one = stacks[1234];
  stack_release(one);
  EXPECT_EQ(stack_acquire_growing().slot, one.slot);
  for (const Stack &stack : stacks)
    stack_release(stack);
}

TEST_F(GrowableTest, OnlyWhatWasUsedDeeplyGivesItsMemoryBack) {
  const Stack shallow = stack_acquire_growing(), deep = stack_acquire_growing();
  for (const Stack &stack : {shallow, deep}) {
    stack.low[0] = std::byte{7};
    stack.high[-1] = std::byte{7};
  }
  stack_limit(deep, kept_of_free + 1);
  stack_release(shallow);
  stack_release(deep);
  EXPECT_EQ(shallow.low[0], std::byte{7}); // nothing said that it had been touched
  EXPECT_EQ(deep.low[0], std::byte{0});
  EXPECT_EQ(deep.high[-1], std::byte{7});
}

TEST_F(GrowableTest, StressNeverGetsAStackUsedLately) {
  Stack stack = stack_acquire_growing();
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
  EXPECT_EQ(thread.limit, stack_limit(thread.stack, 0));
  // The first context lies in the first page, most of which is still free.
  thread_prepare(&thread);
  EXPECT_LE(reinterpret_cast<std::byte *>(thread.stack.high) - static_cast<std::byte *>(thread.sp), 256);
  stack_release(thread.stack);
}

TEST_F(GrowableTest, AnArrivingThreadGetsTheKindItHad) {
  Stack there = stack_acquire_growing();
  Stack here = stack_acquire_arriving(there.slot, there.bytes());
  EXPECT_TRUE(is_growable(here));
  Stack fixed = stack_acquire_arriving(100, 64 << 10);
  EXPECT_TRUE(fixed);
  EXPECT_FALSE(is_growable(fixed));
  for (const Stack &stack : {there, here, fixed})
    stack_release(stack);
}

TEST_F(GrowableTest, DeepStacksLieAboveAllLimitsAndChangeHands) {
  Processor worker{};
  Thread first{}, second{};
  skein_deep_change(&worker, &first); // there is none yet, so the worker gets one
  auto *top = static_cast<std::byte *>(worker.deep_top);
  ASSERT_NE(top, nullptr);
  EXPECT_GE(reinterpret_cast<uintptr_t>(top - growable_bytes_max()), skein_growable_begin + skein_growable_bytes);
  EXPECT_LT(reinterpret_cast<uintptr_t>(top) - 1 - skein_deep_begin, skein_deep_bytes);
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
  // The one that was given back is handed out next.
  Processor another{};
  skein_deep_change(&another, &second);
  EXPECT_EQ(another.deep_top, others);
}

#endif

} // namespace
