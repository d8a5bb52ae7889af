// Stacks with the strategy relocate: slots, guards, reuse, and the rotation of the stress mode.
#include "thread/stack.h"
#include "../accessible.h"
#include "arena.h"
#include "base/knobs.h"
#include "base/node.h"
#include "os/linux/memory.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

using namespace skein;

namespace {

struct StackTest : testing::Test {
  static void SetUpTestSuite() { arena_once(); }
};

void expect_layout(const Stack &stack) {
  const auto at = [](std::byte *address) { return reinterpret_cast<uintptr_t>(address); };
  EXPECT_EQ(at(stack.slot_begin) % slot_alignment, 0u);
  EXPECT_EQ(at(stack.slot_end) % slot_alignment, 0u);
  EXPECT_EQ(at(stack.high) % 4096, 0u);
  EXPECT_GE(static_cast<size_t>(stack.low - stack.slot_begin), guard_bytes_min);
  EXPECT_GE(static_cast<size_t>(stack.slot_end - stack.high), guard_bytes_min);
  EXPECT_TRUE(accessible(stack.low) && accessible(stack.high - 1));
  EXPECT_FALSE(accessible(stack.low - 1));
  EXPECT_FALSE(accessible(stack.high));
  EXPECT_FALSE(accessible(stack.slot_begin));
  EXPECT_FALSE(accessible(stack.slot_end - 1));
}

TEST_F(StackTest, ThreadStackHasItsSizeAndGuards) {
  Stack stack = stack_acquire();
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack.bytes(), 64u << 10);
  expect_layout(stack);
  stack_release(stack);
}

TEST_F(StackTest, MainStackHasItsSizeAndGuards) {
  Stack stack = stack_acquire(stack_bytes_max());
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack.bytes(), 1u << 20);
  expect_layout(stack);
  stack_release(stack);
}

TEST_F(StackTest, OneByteMoreThanAThreadStackIsAMainStack) {
  Stack stack = stack_acquire(stack_bytes() + 1);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack.bytes(), stack_bytes_max());
  stack_release(stack);
  EXPECT_FALSE(stack_acquire(stack_bytes_max() + 1));
}

TEST_F(StackTest, AllDeltasKeepAlignment) {
  Stack a = stack_acquire(), b = stack_acquire(), main = stack_acquire(stack_bytes_max());
  EXPECT_EQ((a.high - b.high) % static_cast<ptrdiff_t>(slot_alignment), 0);
  EXPECT_EQ((a.high - main.high) % static_cast<ptrdiff_t>(slot_alignment), 0);
  for (const Stack &stack : {a, b, main})
    stack_release(stack);
}

TEST_F(StackTest, LastReleasedIsNextAcquired) {
  Stack a = stack_acquire(), b = stack_acquire();
  EXPECT_NE(a.slot, b.slot);
  stack_release(a);
  stack_release(b);
  Stack c = stack_acquire();
  EXPECT_EQ(c.slot, b.slot);
  stack_release(c);
}

/// The addresses that the program's globals hold for the next tests, one in each of these slots.
std::vector<uint32_t> held;
int asked;
bool holds(const Stack &stack) {
  asked++;
  return std::find(held.begin(), held.end(), stack.slot) != held.end();
}

TEST_F(StackTest, NobodyLooksAgainWhatLeadsToOneThatIsLeft) {
  stack_left_in_globals = holds;
  const Stack left = stack_acquire(), over = stack_acquire();
  asked = 0;
  stack_leave(left); // its thread moved, and everything was searched before that
  EXPECT_EQ(asked, 0);
  stack_release(over);
  EXPECT_EQ(asked, 1);
  stack_left_in_globals = nullptr;
}

TEST_F(StackTest, OneThatGlobalsLeadToIsSetAsideUntilTheyDoNoMore) {
  stack_left_in_globals = holds;
  const Stack first = stack_acquire(), second = stack_acquire(), third = stack_acquire();
  held = {first.slot, second.slot};
  stack_release(first);
  stack_release(second); // the first slot is looked at again
  std::vector<Stack> others;
  for (int i = 0; i < 100; i++) {
    others.push_back(stack_acquire());
    EXPECT_NE(others.back().slot, first.slot);
    EXPECT_NE(others.back().slot, second.slot);
  }
  held = {third.slot};
  stack_release(third); // one of the two is found to be free again
  stack_note_left(others[0]);
  stack_leave(others[0]); // and now the other
  bool again[2] = {};
  for (int i = 0; i < 100; i++) {
    others.push_back(stack_acquire());
    again[0] |= others.back().slot == first.slot;
    again[1] |= others.back().slot == second.slot;
  }
  EXPECT_TRUE(again[0] && again[1]);
  held.clear();
  stack_left_in_globals = nullptr;
  for (size_t i = 1; i < others.size(); i++)
    stack_release(others[i]);
}

TEST_F(StackTest, AddressLeadsToItsSlot) {
  Stack small = stack_acquire(), big = stack_acquire(stack_bytes_max());
  for (const Stack &stack : {small, big}) {
    EXPECT_EQ(stack_containing(stack.slot_begin).slot, stack.slot);
    EXPECT_EQ(stack_containing(stack.high - 1).low, stack.low);
    EXPECT_EQ(stack_containing(stack.slot_end - 1).slot, stack.slot);
    EXPECT_TRUE(stack.contains(stack.slot_end - 1));
    EXPECT_FALSE(stack.contains(stack.slot_end));
    stack_release(stack);
  }
  int local = 0;
  EXPECT_FALSE(stack_containing(&local));
  EXPECT_FALSE(stack_containing(nullptr));
  EXPECT_FALSE(stack_containing(stack_arena().end));
  EXPECT_FALSE(stack_containing(stack_arena().begin - 1));
}

TEST_F(StackTest, AmbiguousAroundMultiplesOf4GiB) {
  const auto ambiguous = [](uint64_t low, uint64_t bytes) {
    Stack stack;
    stack.low = reinterpret_cast<std::byte *>(low);
    stack.high = stack.low + bytes;
    return stack_is_ambiguous(stack);
  };
  EXPECT_TRUE(ambiguous(0x7f11'0000'0000, 0x1000));
  EXPECT_TRUE(ambiguous(0x7f11'00ff'f000, 0x1000));
  EXPECT_FALSE(ambiguous(0x7f11'0100'0000, 0x1000));
  EXPECT_FALSE(ambiguous(0x7f11'feff'e000, 0x1000));
  EXPECT_TRUE(ambiguous(0x7f11'feff'f000, 0x1000));
  EXPECT_TRUE(ambiguous(0x7f11'ffff'f000, 0x1000));
  EXPECT_TRUE(ambiguous(0x7f10'f000'0000, 0x4000'0000));
}

TEST_F(StackTest, ThousandsAtOnceAllDifferent) {
  std::vector<Stack> stacks(5000);
  std::set<uint32_t> slots;
  for (Stack &stack : stacks) {
    stack = stack_acquire();
    ASSERT_TRUE(stack);
    stack.high[-1] = std::byte{1};
    EXPECT_TRUE(slots.insert(stack.slot).second);
  }
  for (Stack &stack : stacks)
    stack_release(stack);
  Stack again = stack_acquire();
  EXPECT_TRUE(slots.count(again.slot)); // reused
  stack_release(again);
}

TEST_F(StackTest, MoreAtOnceThanHalfAsManyMappings) {
  if (!memory_guards_work())
    GTEST_SKIP() << "each stack needs two mappings before Linux 6.13";
  std::vector<Stack> stacks(40000); // the limit vm.max_map_count is 65,530
  for (Stack &stack : stacks) {
    stack = stack_acquire();
    ASSERT_TRUE(stack);
  }
  for (const Stack &stack : {stacks[16], stacks[39999]})
    expect_layout(stack);
  for (Stack &stack : stacks)
    stack_release(stack);
}

TEST_F(StackTest, ReleasedInAnotherKernelThreadComesBack) {
  // More than a cache holds, so that some pass through the common pool; the rest after the flush.
  std::vector<Stack> stacks(100);
  std::set<uint32_t> slots;
  for (Stack &stack : stacks)
    slots.insert((stack = stack_acquire()).slot);
  stack_cache_flush();
  std::thread([&] {
    for (Stack &stack : stacks)
      stack_release(stack);
    stack_cache_flush();
  }).join();
  size_t same = 0;
  for (Stack &stack : stacks)
    same += slots.count((stack = stack_acquire()).slot);
  EXPECT_GE(same, 80u); // a cache is filled with some more than the hundred, and those are handed out first
  for (Stack &stack : stacks)
    stack_release(stack);
}

TEST_F(StackTest, ParallelUsersNeverShareAStack) {
  std::vector<std::thread> users;
  for (int user = 0; user < 4; user++)
    users.emplace_back([user] {
      std::vector<Stack> mine;
      for (int i = 0; i < 20'000; i++) {
        if (mine.size() < 40 && (i * 7 + user) % 3) {
          mine.push_back(stack_acquire());
          std::memset(mine.back().high - 8, user, 8);
        } else if (!mine.empty()) {
          for (int byte = 1; byte <= 8; byte++)
            ASSERT_EQ(mine.back().high[-byte], static_cast<std::byte>(user));
          stack_release(mine.back());
          mine.pop_back();
        }
      }
      for (const Stack &stack : mine)
        stack_release(stack);
      stack_cache_flush();
    });
  for (std::thread &user : users)
    user.join();
}

TEST_F(StackTest, ReleasedTwiceDies) {
  Stack stack = stack_acquire();
  stack_release(stack);
  EXPECT_DEATH(stack_release(stack), "released twice");
}

void rotate(size_t bytes) {
  std::vector<uint32_t> lately;
  Stack running = stack_acquire(bytes);
  for (int move = 0; move < 400; move++) {
    Stack fresh = stack_acquire_fresh(running);
    ASSERT_TRUE(fresh);
    EXPECT_EQ(fresh.bytes(), running.bytes());
    EXPECT_EQ(std::count(lately.begin(), lately.end(), fresh.slot), 0) << "move " << move;
    std::memset(fresh.high - 64, 1, 64);
    stack_retire(running, running.high - 64);
    EXPECT_FALSE(accessible(running.high - 1));
    EXPECT_FALSE(accessible(running.low));
    lately.push_back(running.slot);
    if (lately.size() > 60)
      lately.erase(lately.begin());
    running = fresh;
  }
  stack_release(running);
}

TEST_F(StackTest, StressNeverReturnsSoonToAThreadStack) { rotate(stack_bytes()); }
TEST_F(StackTest, StressNeverReturnsSoonToAMainStack) {
  const std::byte *at = stack_arena().begin;
  for (uint32_t slot = 0; slot < main_slots; slot++) {
    const Stack stack = stack_containing(at);
    if (stack_is_ambiguous(stack))
      GTEST_SKIP() << "the arena begins near a multiple of 4 GiB: fewer than 61 main slots are left";
    at = stack.slot_end;
  }
  rotate(stack_bytes_max());
}

TEST_F(StackTest, RetiredStackIsJunkWhereItLived) {
  std::vector<Stack> all;
  const Stack like = stack_acquire();
  Stack first = stack_acquire_fresh(like);
  std::memset(first.high - 128, 1, 128);
  stack_retire(first, first.high - 64);
  for (int i = 0; i < 1000; i++) { // until the rotation reaches it again
    Stack fresh = stack_acquire_fresh(like);
    if (fresh.slot == first.slot) {
      EXPECT_EQ(fresh.high[-1], std::byte{0xa5});
      EXPECT_EQ(fresh.high[-64], std::byte{0xa5});
      EXPECT_EQ(fresh.high[-65], std::byte{1}); // this word was not live
      stack_release(fresh);
      stack_release(like);
      return;
    }
    stack_retire(fresh, fresh.high);
  }
  FAIL() << "the rotation never came back";
}

TEST_F(StackTest, GeometryMattersOnlyUnderReserve) {
  EXPECT_EQ(stack_geometry(), 0u);
  EXPECT_EQ(stack_slot_owner(12345), node.self);
}

} // namespace
