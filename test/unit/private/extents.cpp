// A thread owns extents. These tests check the list of them, and what becomes of them.
#include "private/regions/extents.h"
#include "../accessible.h"
#include "private/regions/spare.h"
#include "thread/table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace skein;

namespace {

struct ExtentsTest : testing::Test {
  static void SetUpTestSuite() {
    thread_table_start(1);
    private_start();
  }
  void SetUp() override { thread = thread_new(); }
  void TearDown() override {
    if (thread)
      thread_delete(thread);
  }
  Thread *thread;
};

void *pointer(uintptr_t address) { return reinterpret_cast<void *>(address); }

TEST_F(ExtentsTest, AThreadThatTouchesNothingOwnsNothing) {
  EXPECT_EQ(thread->owned, nullptr);
  EXPECT_EQ(private_owner(*thread, 0), PrivateOwner::nobody);
  EXPECT_EQ(private_owner(*thread, private_begin), PrivateOwner::other);
  EXPECT_EQ(thread->owned, nullptr);
}

TEST_F(ExtentsTest, TheListIsSortedAndAnswers) {
  std::vector<uintptr_t> begins;
  for (int i = 0; i < 100; i++) {
    Extent *extent = extent_add(*thread, i % 2 ? ExtentKind::heap : ExtentKind::globals, (i % 7 + 1) * 5000);
    ASSERT_TRUE(extent);
    EXPECT_EQ(extent->bytes % 4096, 0u);
    *static_cast<char *>(pointer(extent->end() - 1)) = 1;
    begins.push_back(extent->begin);
  }
  ASSERT_EQ(thread->owned->count, 100u);
  for (uint32_t i = 1; i < 100; i++)
    EXPECT_LE(thread->owned->extents[i - 1].end(), thread->owned->extents[i].begin);
  for (uintptr_t begin : begins) {
    const Extent *extent = extent_containing(*thread, begin);
    ASSERT_TRUE(extent);
    EXPECT_EQ(extent->begin, begin);
    EXPECT_EQ(extent_containing(*thread, extent->end() - 1), extent);
    EXPECT_NE(extent_containing(*thread, extent->end()), extent);
  }
  std::reverse(begins.begin(), begins.end());
  for (uintptr_t begin : begins) {
    EXPECT_EQ(private_owner(*thread, begin + 8), PrivateOwner::own);
    extent_remove(*thread, begin);
    EXPECT_EQ(private_owner(*thread, begin + 8), PrivateOwner::other);
  }
  EXPECT_EQ(thread->owned->count, 0u);
}

TEST_F(ExtentsTest, AnotherThreadsAreOthers) {
  Thread *other = thread_new();
  Extent *extent = extent_add(*other, ExtentKind::heap, 4096);
  EXPECT_EQ(private_owner(*thread, extent->begin), PrivateOwner::other);
  EXPECT_EQ(private_owner(*other, extent->begin), PrivateOwner::own);
  thread_delete(other);
}

TEST_F(ExtentsTest, OverlapsAreNotListed) {
  Extent *extent = extent_add(*thread, ExtentKind::heap, 16384);
  const uintptr_t begin = extent->begin;
  EXPECT_FALSE(extent_list(*thread, {begin, 4096, 4096, ExtentKind::heap, 0}));
  EXPECT_FALSE(extent_list(*thread, {begin + 12288, 8192, 8192, ExtentKind::heap, 0}));
  EXPECT_FALSE(extent_list(*thread, {begin - 4096, 32768, 32768, ExtentKind::heap, 0}));
  EXPECT_EQ(thread->owned->count, 1u);
}

TEST_F(ExtentsTest, TheEndReleases) {
  const uintptr_t begin = extent_add(*thread, ExtentKind::large, 4 << 20)->begin;
  thread_delete(thread);
  thread = nullptr;
  EXPECT_FALSE(accessible(pointer(begin)));
  void *again = region_acquire(4 << 20);
  EXPECT_EQ(again, pointer(begin));
  region_release(again, 4 << 20, 1, false);
}

TEST_F(ExtentsTest, DepartureKeepsTheAddresses) {
  const uintptr_t begin = extent_add(*thread, ExtentKind::large, 4 << 20)->begin;
  private_depart(*thread);
  EXPECT_EQ(thread->owned, nullptr);
  EXPECT_FALSE(accessible(pointer(begin)));
  void *other = region_acquire(4 << 20);
  EXPECT_NE(other, pointer(begin));
  region_release(other, 4 << 20, 1, false);
  ASSERT_TRUE(region_arrive(pointer(begin), 4 << 20));
  EXPECT_TRUE(extent_list(*thread, {begin, 4 << 20, 4 << 20, ExtentKind::large, 0}));
}

TEST_F(ExtentsTest, SpareOnesKeepWhatIsInThem) {
  Processor worker;
  Processor *const before = skein_processor;
  skein_processor = &worker;
  EXPECT_EQ(extent_add_spare(*thread, ExtentKind::large, 4 << 20), nullptr);
  const uintptr_t begin = extent_add(*thread, ExtentKind::large, 4 << 20)->begin;
  *static_cast<char *>(pointer(begin)) = 7;
  extent_remove(*thread, begin, /*spare=*/true);
  EXPECT_EQ(extent_containing(*thread, begin), nullptr); // so it neither moves with the thread nor is looked at
  EXPECT_EQ(extent_add_spare(*thread, ExtentKind::large, 8 << 20), nullptr);
  const Extent *again = extent_add_spare(*thread, ExtentKind::large, (4 << 20) - 5000);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->begin, begin);
  EXPECT_EQ(*static_cast<char *>(pointer(begin)), 7);
  extent_remove(*thread, begin, /*spare=*/true);
  spares_flush();
  EXPECT_FALSE(accessible(pointer(begin)));
  EXPECT_EQ(extent_add_spare(*thread, ExtentKind::large, 4 << 20), nullptr);
  skein_processor = before;
}

TEST_F(ExtentsTest, SpareOnesAreFewAndNoImageHasThem) {
  Processor worker;
  Processor *const before = skein_processor;
  skein_processor = &worker;
  std::vector<uintptr_t> all;
  for (int i = 0; i < 6; i++)
    all.push_back(extent_add(*thread, ExtentKind::large, 2 << 20)->begin);
  for (uintptr_t begin : all)
    extent_remove(*thread, begin, /*spare=*/true);
  const auto kept = std::count_if(all.begin(), all.end(), [](uintptr_t begin) { return accessible(pointer(begin)); });
  EXPECT_EQ(kept, 4);
  const uintptr_t large = extent_add(*thread, ExtentKind::large, 64 << 20)->begin;
  extent_remove(*thread, large, /*spare=*/true);
  EXPECT_FALSE(accessible(pointer(large)));
  spares_flush();
  const uintptr_t begin = extent_add(*thread, ExtentKind::large, 2 << 20)->begin;
  extents_keep(*thread);
  extent_remove(*thread, begin, /*spare=*/true);
  EXPECT_FALSE(accessible(pointer(begin)));
  skein_processor = before;
}

TEST_F(ExtentsTest, NonsenseIsRefused) {
  EXPECT_EQ(extent_add(*thread, ExtentKind::heap, 0), nullptr);
  EXPECT_EQ(extent_add(*thread, ExtentKind::heap, ~size_t{0}), nullptr);
}

} // namespace
