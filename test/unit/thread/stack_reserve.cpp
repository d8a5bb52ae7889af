// Stacks with the strategy reserve, as node 1 of 4 sees them.
#include "../accessible.h"
#include "base/knobs.h"
#include "base/node.h"
#include "thread/stack.h"

#include <gtest/gtest.h>
#include <vector>

using namespace skein;

namespace {

std::vector<uint32_t> returned;

struct ReserveTest : testing::Test {
  static void SetUpTestSuite() {
    knobs.stacks = StackStrategy::reserve;
    knobs.stack_max = 1 << 20;
    node = {1, 4};
    stacks_start();
    foreign_slot_released.add([](uint32_t slot) { returned.push_back(slot); });
  }
  void SetUp() override { returned.clear(); }
  /// A slot for threads that node 2 owns.
  static uint32_t foreign() {
    uint32_t slot = main_slots;
    while (stack_slot_owner(slot) != 2)
      slot += 1000;
    return slot;
  }
};

TEST_F(ReserveTest, LiesWhereEveryProcessHasIt) {
  EXPECT_EQ(reinterpret_cast<uintptr_t>(stack_arena().begin), 0x400000000000u);
  EXPECT_LE(reinterpret_cast<uintptr_t>(stack_arena().end), uintptr_t{5} << 44); // programs are loaded beyond it
  EXPECT_NE(stack_geometry(), 0u);
}

TEST_F(ReserveTest, OwnSlotsAreOwn) {
  for (int i = 0; i < 100; i++) {
    Stack stack = stack_acquire();
    EXPECT_EQ(stack_slot_owner(stack.slot), 1);
    stack_release(stack);
  }
  EXPECT_EQ(stack_slot_owner(0), 0); // node 0's main
  Stack main = stack_acquire(stack_bytes_max());
  EXPECT_EQ(stack_slot_owner(main.slot), 1);
  stack_release(main);
  EXPECT_TRUE(returned.empty());
}

// The arena begins at a multiple of 4 GiB.
TEST_F(ReserveTest, NoStackLooksLikeTwoSmallIntegers) {
  EXPECT_TRUE(stack_is_ambiguous(stack_containing(stack_arena().begin)));
  std::vector<Stack> stacks;
  for (int i = 0; i < 10; i++)
    stacks.push_back(stack_acquire(stack_bytes_max()));
  for (int i = 0; i < 1000; i++)
    stacks.push_back(stack_acquire());
  for (const Stack &stack : stacks) {
    ASSERT_TRUE(stack);
    EXPECT_FALSE(stack_is_ambiguous(stack)) << static_cast<void *>(stack.low);
    stack_release(stack);
  }
}

TEST_F(ReserveTest, EverySlotHasOneOwner) {
  std::vector<int> share(4);
  for (uint32_t slot = main_slots; stack_containing(stack_arena().end - 1).slot >= slot; slot += 997) {
    int owner = stack_slot_owner(slot);
    ASSERT_TRUE(owner >= 0 && owner < 4);
    share[static_cast<size_t>(owner)]++;
  }
  for (int one : share)
    EXPECT_GT(one, 100);
}

TEST_F(ReserveTest, AThreadBringsItsSlot) {
  Stack stack = stack_acquire_slot(foreign());
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack.slot, foreign());
  EXPECT_TRUE(accessible(stack.low));
  EXPECT_FALSE(stack_acquire_slot(foreign())); // a thread is on it
  stack_leave(stack);                          // and goes on to another node
  EXPECT_TRUE(returned.empty());
  stack = stack_acquire_slot(foreign()); // it comes back
  ASSERT_TRUE(stack);
  stack_release(stack); // it ends here
  EXPECT_EQ(returned, std::vector<uint32_t>{foreign()});
}

TEST_F(ReserveTest, MainOfNode0CanCome) {
  Stack stack = stack_acquire_slot(0);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack.bytes(), stack_bytes_max());
  stack_release(stack);
  EXPECT_EQ(returned, std::vector<uint32_t>{0});
}

TEST_F(ReserveTest, OwnSlotAwayIsNotReusedUntilItReturns) {
  Stack stack = stack_acquire();
  const uint32_t slot = stack.slot;
  stack_leave(stack);
  for (int i = 0; i < 100; i++) {
    Stack other = stack_acquire();
    EXPECT_NE(other.slot, slot);
    stack_release(other);
  }
  EXPECT_TRUE(stack_slot_returned(slot));
  Stack again = stack_acquire();
  EXPECT_EQ(again.slot, slot);
  stack_release(again);
}

TEST_F(ReserveTest, OwnThreadComesHome) {
  Stack stack = stack_acquire();
  stack_leave(stack);
  Stack home = stack_acquire_slot(stack.slot);
  ASSERT_TRUE(home);
  EXPECT_EQ(home.low, stack.low);
  stack_release(home);
  EXPECT_TRUE(returned.empty()); // the slot is ours, so no node is told
}

TEST_F(ReserveTest, WrongSlotsReject) {
  EXPECT_FALSE(stack_acquire_slot(UINT32_MAX));
  EXPECT_FALSE(stack_acquire_slot(stack_containing(stack_arena().end - 1).slot + 1));
  Stack mine = stack_acquire();
  EXPECT_FALSE(stack_acquire_slot(mine.slot)); // in use
  stack_release(mine);
  EXPECT_FALSE(stack_acquire_slot(mine.slot)); // the slot is ours and free, so no thread can have it
}

TEST_F(ReserveTest, ManyForeignSlotsComeAndGo) {
  // This is more than are kept open for threads that come again.
  for (uint32_t i = 0; i < 6000; i++) {
    Stack stack = stack_acquire_slot(foreign() + i);
    ASSERT_TRUE(stack) << i;
    stack.high[-1] = std::byte{1};
    stack_leave(stack);
  }
  Stack stack = stack_acquire_slot(foreign() + 5999);
  ASSERT_TRUE(stack);
  stack.high[-1] = std::byte{2};
  stack_release(stack);
}

TEST_F(ReserveTest, OnlyOwnSlotsThatAreAwayReturn) {
  Stack stack = stack_acquire();
  EXPECT_FALSE(stack_slot_returned(stack.slot)); // it never left
  EXPECT_FALSE(stack_slot_returned(foreign()));  // it belongs to another node
  EXPECT_FALSE(stack_slot_returned(UINT32_MAX)); // it belongs to no node
  stack_leave(stack);
  EXPECT_TRUE(stack_slot_returned(stack.slot));
  EXPECT_FALSE(stack_slot_returned(stack.slot)); // it was returned before
}

} // namespace
