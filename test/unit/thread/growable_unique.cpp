// Stacks under strategy auto, as node 1 of 3 sees them: slots of both kinds are unique over the nodes, those that grow
// too, and a thread brings its own along.
#include "../accessible.h"
#include "base/knobs.h"
#include "base/node.h"
#include "thread/places.h"
#include "thread/slots.h"
#include "thread/stack.h"

#include <gtest/gtest.h>
#include <vector>

using namespace skein;

namespace {

std::vector<uint32_t> returned;

struct UniqueTest : testing::Test {
  static void SetUpTestSuite() {
    knobs.stack_max = 1 << 20;
    node = {1, 3, 0x1234567};
    stacks_start();
    foreign_slot_released.add([](uint32_t slot) { returned.push_back(slot); });
  }
  void SetUp() override { returned.clear(); }
  /// A slot of node 2 for a stack that grows.
  static uint32_t foreign() {
    stack_release(stack_acquire_growing()); // makes sure that the slots are mapped
    return growing.first + 2 * growing.own_count;
  }
};

TEST_F(UniqueTest, LieWhereTheRunSays) {
  EXPECT_EQ(reinterpret_cast<uintptr_t>(stack_arena().begin),
            place_in_run(RunPlace::stacks, static_cast<size_t>(stack_arena().end - stack_arena().begin)));
  EXPECT_NE(stack_geometry(), 0u);
  const Stack stack = stack_acquire_growing();
  ASSERT_TRUE(stack);
  EXPECT_TRUE(stack_keeps_address(stack));
  EXPECT_GE(reinterpret_cast<uintptr_t>(stack.slot_begin), 0x4a0000000000u);
  EXPECT_LT(reinterpret_cast<uintptr_t>(stack.slot_end), 0x540000000000u);
  EXPECT_EQ(stack_slot_owner(stack.slot), 1);
  stack_release(stack);
}

TEST_F(UniqueTest, PlacesDifferByRunAndByNodeWhereTheyShall) {
  const Node was = node;
  const uintptr_t place = place_in_run(RunPlace::stacks, 1 << 20),
                  own = place_in_run(RunPlace::stacks_of_node, 1 << 20);
  node.self = 2;
  EXPECT_EQ(place_in_run(RunPlace::stacks, 1 << 20), place);
  EXPECT_NE(place_in_run(RunPlace::stacks_of_node, 1 << 20), own);
  node.seed++;
  EXPECT_NE(place_in_run(RunPlace::stacks, 1 << 20), place);
  node = was;
}

TEST_F(UniqueTest, AThreadBringsItsGrowableSlot) {
  const uint32_t slot = foreign();
  ASSERT_EQ(stack_slot_owner(slot), 2);
  Stack stack = stack_acquire_slot(slot);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack.slot, slot);
  stack.high[-1] = std::byte{1};
  EXPECT_FALSE(stack_acquire_slot(slot)); // a thread is on it
  stack_leave(stack);                     // and goes on to another node
  EXPECT_TRUE(returned.empty());
  stack = stack_acquire_slot(slot);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack.high[-1], std::byte{1}); // it came back soon
  stack_release(stack);                    // it ends here
  EXPECT_EQ(returned, std::vector<uint32_t>{slot});
}

TEST_F(UniqueTest, OwnGrowableSlotAwayIsNotReusedUntilItReturns) {
  const Stack stack = stack_acquire_growing();
  stack_leave(stack);
  for (int i = 0; i < 100; i++) {
    const Stack other = stack_acquire_growing();
    EXPECT_NE(other.slot, stack.slot);
    stack_release(other);
  }
  EXPECT_FALSE(stack_acquire_slot(stack.slot + 1)); // the slot is ours and free, so no thread can have it
  const Stack home = stack_acquire_slot(stack.slot);
  ASSERT_TRUE(home);
  stack_leave(home);
  stack_slot_returned(stack.slot);
  const Stack again = stack_acquire_growing();
  EXPECT_EQ(again.slot, stack.slot);
  stack_release(again);
  EXPECT_TRUE(returned.empty());
}

TEST_F(UniqueTest, WhatIsLeftClosedFaults) {
  for (const Stack &stack : {stack_acquire(), stack_acquire_growing()}) {
    stack.high[-1] = std::byte{1};
    stack_leave(stack, /*close=*/true);
    EXPECT_FALSE(accessible(stack.high - 1));
    const Stack home = stack_acquire_slot(stack.slot);
    ASSERT_TRUE(home);
    EXPECT_TRUE(accessible(home.high - 1));
    stack_release(home);
  }
}

TEST_F(UniqueTest, ASlotThatIsNotWantedGoesBackToItsOwner) {
  const Stack mine = stack_acquire();
  stack_leave(mine);
  stack_slot_unwanted(mine.slot); // its thread came back and lives on another stack
  EXPECT_TRUE(returned.empty());
  const Stack again = stack_acquire();
  EXPECT_EQ(again.slot, mine.slot);
  stack_release(again);
  stack_slot_unwanted(foreign());
  EXPECT_EQ(returned.size(), 1u);
}

// More threads have left than keep their memory: the oldest must have given theirs back, and the last ones not.
TEST_F(UniqueTest, WhatManyThreadsLeaveBehindIsBounded) {
  std::vector<Stack> stacks;
  for (int i = 0; i < 5000; i++) {
    stacks.push_back(stack_acquire());
    stacks.back().high[-1] = std::byte{7};
  }
  for (const Stack &stack : stacks)
    stack_leave(stack);
  ASSERT_TRUE(stack_acquire_slot(stacks.front().slot));
  ASSERT_TRUE(stack_acquire_slot(stacks.back().slot));
  EXPECT_EQ(stacks.front().high[-1], std::byte{0});
  EXPECT_EQ(stacks.back().high[-1], std::byte{7});
}

// This must be the last test, since there is no way back.
TEST_F(UniqueTest, ZzzWhereNodesDifferNoStackKeepsItsAddress) {
  const Stack stack = stack_acquire();
  EXPECT_TRUE(stack_keeps_address(stack));
  stacks_differ();
  EXPECT_FALSE(stack_keeps_address(stack));
  stack_leave(stack); // released
  const Stack again = stack_acquire();
  EXPECT_EQ(again.slot, stack.slot);
  stack_release(again);
}

} // namespace
