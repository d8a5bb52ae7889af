// Reserving, opening and closing address space.
#include "os/linux/memory.h"
#include "../accessible.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace skein;

namespace {

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Memory, ReservedIsInaccessibleUntilOpened) {
  const size_t page = page_bytes();
  auto *at = static_cast<char *>(memory_reserve(16 * page));
  ASSERT_NE(at, nullptr);
  EXPECT_FALSE(accessible(at));
  ASSERT_TRUE(memory_open(at + page, 2 * page));
  EXPECT_FALSE(accessible(at + page - 1));
  EXPECT_TRUE(accessible(at + page));
  EXPECT_TRUE(accessible(at + 3 * page - 1));
  EXPECT_FALSE(accessible(at + 3 * page));
  at[page] = 7;
  ASSERT_TRUE(memory_close(at + page, 2 * page));
  EXPECT_FALSE(accessible(at + page));
  ASSERT_TRUE(memory_open(at + page, 2 * page));
  EXPECT_EQ(at[page], 7); // closing keeps contents
  memory_discard(at + page, page);
  EXPECT_EQ(at[page], 0); // discarding does not
  memory_free(at, 16 * page);
}

TEST(Memory, GuardStaysInaccessibleWhateverIsOpened) {
  if (!memory_guards_work())
    GTEST_SKIP() << "Linux before 6.13";
  const size_t page = page_bytes();
  auto *at = static_cast<char *>(memory_reserve(16 * page));
  ASSERT_TRUE(memory_guard(at + 2 * page, page));
  ASSERT_TRUE(memory_open(at, 16 * page));
  EXPECT_TRUE(accessible(at + 2 * page - 1));
  EXPECT_FALSE(accessible(at + 2 * page));
  EXPECT_FALSE(accessible(at + 3 * page - 1));
  EXPECT_TRUE(accessible(at + 3 * page));
  memory_discard(at, 16 * page);
  EXPECT_FALSE(accessible(at + 2 * page));
  if (const pid_t child = fork())
    EXPECT_EQ(status_of(child), 0);
  else
    _exit(accessible(at + 2 * page) || !accessible(at));
  memory_free(at, 16 * page);
}

TEST(Memory, ManyRangesAreGuardedAndDiscardedAtOnce) {
  if (!memory_guards_work())
    GTEST_SKIP() << "Linux before 6.13";
  constexpr size_t count = 40;
  const size_t page = page_bytes();
  auto *at = static_cast<char *>(memory_reserve(4 * count * page));
  MemoryRange guards[count], pages[count];
  for (size_t i = 0; i < count; i++) {
    guards[i] = {at + 4 * i * page, page};
    pages[i] = {at + (4 * i + 1) * page, 2 * page};
  }
  ASSERT_TRUE(memory_guard(guards, count));
  ASSERT_TRUE(memory_open(at, 4 * count * page));
  for (size_t i = 1; i < 4 * count; i++)
    if (i % 4)
      at[i * page] = 7;
  memory_discard(pages, count);
  const auto look = [&] {
    for (size_t i = 0; i < 4 * count; i++) {
      ASSERT_EQ(accessible(at + i * page), i % 4 != 0) << i;
      if (i % 4) {
        ASSERT_EQ(at[i * page], i % 4 == 3 ? 7 : 0) << i;
      }
    }
  };
  look();
  // A child's own memory, and not its parent's.
  if (const pid_t child = fork()) {
    EXPECT_EQ(status_of(child), 0);
    look();
  } else {
    const MemoryRange last[] = {{at + 3 * page, page}, {at + 7 * page, page}};
    memory_discard(last, 2);
    _exit(at[3 * page] != 0 || at[7 * page] != 0);
  }
  memory_discard(pages, 0);
  EXPECT_FALSE(memory_guard(std::data({MemoryRange{nullptr, page}, MemoryRange{at, page}}), 2));
  memory_free(at, 4 * count * page);
}

TEST(Memory, ReservesAtOneAddressOrNotAtAll) {
  const size_t page = page_bytes();
  auto *free_range = static_cast<char *>(memory_reserve(4 * page));
  memory_free(free_range, 4 * page);
  EXPECT_EQ(memory_reserve_at(free_range, 4 * page), free_range);
  EXPECT_EQ(memory_reserve_at(free_range + page, page), nullptr); // taken
  memory_free(free_range, 4 * page);
}

#if !__has_feature(address_sanitizer) // which has reserved much more than that
TEST(Memory, NoAddressSpaceGivesNull) {
  rlimit before;
  getrlimit(RLIMIT_AS, &before);
  rlimit small = before;
  small.rlim_cur = UINT64_C(1) << 30;
  setrlimit(RLIMIT_AS, &small);
  void *at = memory_reserve(UINT64_C(8) << 30);
  void *memory = memory_allocate(UINT64_C(8) << 30);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(at, nullptr);
  EXPECT_EQ(memory, nullptr);
}
#endif

} // namespace
