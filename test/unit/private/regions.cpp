// Regions, as node 1 of 3 sees them.
#include "private/regions/regions.h"
#include "../accessible.h"
#include "base/node.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <sys/mman.h>
#include <vector>

using namespace skein;

namespace {

std::vector<FreedRegion> announced;

struct RegionsTest : testing::Test {
  static void SetUpTestSuite() {
    node = {1, 3};
    foreign_region_released.add([](const FreedRegion &region) { announced.push_back(region); });
  }
  static void TearDownTestSuite() { node = {0, 1}; }
  void SetUp() override { announced.clear(); }
};

uintptr_t number(const void *at) { return reinterpret_cast<uintptr_t>(at); }

TEST_F(RegionsTest, SlicesOfAllNodesAreApart) {
  // With 3 nodes the range is cut into quarters, of which the last belongs to no node.
  const uintptr_t quarter = (private_end - private_begin) / 4;
  EXPECT_EQ(region_owner(private_begin - 1), -1);
  EXPECT_EQ(region_owner(private_begin), 0);
  EXPECT_EQ(region_owner(private_begin + quarter - 1), 0);
  EXPECT_EQ(region_owner(private_begin + quarter), 1);
  EXPECT_EQ(region_owner(private_begin + 3 * quarter - 1), 2);
  EXPECT_EQ(region_owner(private_begin + 3 * quarter), -1);
  EXPECT_EQ(region_owner(private_end), -1);
}

TEST_F(RegionsTest, AcquiredOnesAreOwnDistinctAndZero) {
  std::set<uintptr_t> seen;
  for (int i = 0; i < 1000; i++) {
    auto *at = static_cast<unsigned char *>(region_acquire(64 << 10));
    ASSERT_TRUE(at);
    EXPECT_EQ(region_owner(number(at)), 1);
    EXPECT_EQ(number(at) % (64 << 10), 0u);
    EXPECT_EQ(at[0] | at[(64 << 10) - 1], 0);
    EXPECT_TRUE(seen.insert(number(at)).second);
    at[0] = 1;
  }
  for (uintptr_t at : seen)
    region_release(reinterpret_cast<void *>(at), 64 << 10, 7, false);
  EXPECT_TRUE(announced.empty());
}

TEST_F(RegionsTest, ReleasedOnesComeBackZero) {
  for (size_t bytes : {size_t{4096}, size_t{100000}, size_t{8} << 20}) {
    auto *first = static_cast<unsigned char *>(region_acquire(bytes));
    ASSERT_TRUE(first);
    memset(first, 0xff, bytes);
    region_release(first, bytes, 7, false);
    auto *again = static_cast<unsigned char *>(region_acquire(bytes));
    EXPECT_EQ(again, first);
    EXPECT_EQ(again[0] | again[bytes / 2] | again[bytes - 1], 0);
    region_release(again, bytes, 7, false);
  }
}

TEST_F(RegionsTest, LargeReleasedOnesAreInaccessible) {
  void *at = region_acquire(8 << 20);
  EXPECT_TRUE(accessible(at));
  region_release(at, 8 << 20, 7, false);
  EXPECT_FALSE(accessible(at));
}

TEST_F(RegionsTest, DepartedOnesArriveAtTheSameAddress) {
  void *at = region_acquire(64 << 10);
  memset(at, 1, 100);
  region_depart(at, 64 << 10);
  EXPECT_FALSE(accessible(at));
  // Meanwhile these addresses are given to no other region.
  void *other = region_acquire(64 << 10);
  EXPECT_NE(other, at);
  ASSERT_TRUE(region_arrive(at, 64 << 10));
  EXPECT_EQ(*static_cast<unsigned char *>(at), 0);
  EXPECT_FALSE(region_arrive(at, 64 << 10)) << "it is taken";
  region_release(at, 64 << 10, 7, false);
  region_release(other, 64 << 10, 7, false);
}

TEST_F(RegionsTest, ArrivalNeverMapsOverSomethingElse) {
  void *at = reinterpret_cast<void *>(private_begin + (1 << 20));
  void *page = mmap(static_cast<char *>(at) + 8192, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  *static_cast<int *>(page) = 42;
  EXPECT_FALSE(region_arrive(at, 64 << 10));
  EXPECT_EQ(*static_cast<int *>(page), 42);
  EXPECT_FALSE(accessible(at));
  munmap(page, 4096);
}

TEST_F(RegionsTest, AForeignOneIsAnnouncedToItsOwner) {
  void *at = reinterpret_cast<void *>(private_begin + (2 << 20)); // node 0's
  ASSERT_TRUE(region_arrive(at, 50000));
  region_release(at, 50000, 99, false);
  EXPECT_FALSE(accessible(at));
  ASSERT_EQ(announced.size(), 1u);
  EXPECT_EQ(announced[0].begin, number(at));
  EXPECT_EQ(announced[0].bytes, 64u << 10);
  EXPECT_EQ(announced[0].thread, 99u);
}

TEST_F(RegionsTest, ReturnedOnesAreUsedAgain) {
  void *at = region_acquire(1 << 20);
  region_depart(at, 1 << 20);
  EXPECT_NE(region_acquire(1 << 20), at);
  EXPECT_TRUE(region_returned({number(at), 1 << 20, 7}));
  EXPECT_EQ(region_acquire(1 << 20), at);
}

TEST_F(RegionsTest, OnlyOwnRegionsCanBeReturned) {
  const uintptr_t quarter = (private_end - private_begin) / 4;
  EXPECT_FALSE(region_returned({private_begin, 1 << 20, 7}));                     // node 0's
  EXPECT_FALSE(region_returned({private_begin + quarter, 100000, 7}));            // no size of a region
  EXPECT_FALSE(region_returned({private_begin + quarter + 1, 1 << 20, 7}));       // a region cannot have this size
  EXPECT_FALSE(region_returned({private_begin + 2 * quarter - 4096, 8192, 7}));   // reaches into node 2's
  EXPECT_FALSE(region_returned({private_begin + quarter, uint64_t{1} << 63, 7})); // more than the slice has
}

TEST_F(RegionsTest, OnlyRegionsThatAreAwayReturnAndOnce) {
  void *at = region_acquire(1 << 20);
  EXPECT_FALSE(region_returned({number(at), 1 << 20, 7})); // it never left
  region_depart(at, 1 << 20);
  EXPECT_FALSE(region_returned({number(at), 1 << 19, 7})); // another size
  ASSERT_TRUE(region_arrive(at, 1 << 20));
  EXPECT_FALSE(region_returned({number(at), 1 << 20, 7})); // it has come back
  region_depart(at, 1 << 20);
  EXPECT_TRUE(region_returned({number(at), 1 << 20, 7}));
  EXPECT_FALSE(region_returned({number(at), 1 << 20, 7})); // twice
}

TEST_F(RegionsTest, ThoseOfPackedThreadsAreForImagesOnly) {
  void *at = region_acquire(1 << 20);
  EXPECT_EQ(region_claim(number(at), 1 << 20), Claim::refused); // its thread lives
  region_release(at, 1 << 20, 7, true);
  EXPECT_FALSE(accessible(at));
  EXPECT_NE(region_acquire(1 << 20), at);
  EXPECT_EQ(region_claim(number(at), 1 << 19), Claim::refused); // another size
  ASSERT_EQ(region_claim(number(at), 1 << 20), Claim::granted);
  EXPECT_EQ(region_claim(number(at), 1 << 20), Claim::abroad); // another copy
  ASSERT_TRUE(region_arrive(at, 1 << 20));
  EXPECT_EQ(region_claim(number(at), 1 << 20), Claim::refused);
  region_release(at, 1 << 20, 8, true);
  ASSERT_EQ(region_claim(number(at), 1 << 20), Claim::granted);
  region_give_back({number(at), 1 << 20 | region_kept, 8}); // nothing has come of it
  EXPECT_EQ(region_claim(number(at), 1 << 20), Claim::granted);
}

TEST_F(RegionsTest, OneThatEndedElsewhereIsKept) {
  void *at = region_acquire(1 << 20);
  region_depart(at, 1 << 20);
  EXPECT_TRUE(region_returned({number(at), 1 << 20 | region_kept, 7}));
  EXPECT_NE(region_acquire(1 << 20), at);
  EXPECT_EQ(region_claim(number(at), 1 << 20), Claim::granted);
}

TEST_F(RegionsTest, AForeignOneThatIsKeptSaysSo) {
  void *at = reinterpret_cast<void *>(private_begin + (2 << 20)); // node 0's
  ASSERT_TRUE(region_arrive(at, 64 << 10));
  region_release(at, 64 << 10, 99, true);
  region_give_back({number(at), 64 << 10 | region_kept, 98});
  ASSERT_EQ(announced.size(), 2u);
  EXPECT_EQ(announced[0].bytes, 64u << 10 | region_kept);
  EXPECT_EQ(announced[1].thread, 98u);
}

TEST_F(RegionsTest, ImagesOfOtherRunsGetWhatNobodyHasHad) {
  const uintptr_t quarter = (private_end - private_begin) / 4;           // the slice of node 1 begins there
  const auto first = number(region_acquire(64 << 20));                   // a run of its own
  const uintptr_t inside = first + (96 << 20);                           // of what would be the run after the next one
  EXPECT_EQ(region_claim(first + (32 << 20), 32 << 20), Claim::refused); // has been divided
  EXPECT_EQ(region_claim(private_begin, 64 << 10), Claim::refused);      // node 0's
  ASSERT_EQ(region_claim(inside, 1 << 20), Claim::granted);
  EXPECT_EQ(region_claim(inside, 1 << 20), Claim::abroad);
  EXPECT_EQ(region_claim(inside - (64 << 10), 128 << 10), Claim::refused);                   // has a part of it
  EXPECT_EQ(region_claim(private_begin + 2 * quarter - (1 << 20), 1 << 20), Claim::granted); // the slice's last
  for (int i = 0; i < 200; i++) { // of more runs than one, which go around what was claimed
    const auto begin = number(region_acquire(1 << 20));
    EXPECT_TRUE(begin + (1 << 20) <= inside || begin >= inside + (1 << 20)) << begin - first;
  }
}

TEST_F(RegionsTest, TooMuchIsRefused) {
  EXPECT_EQ(region_acquire(private_end - private_begin), nullptr);
  EXPECT_EQ(region_acquire(~size_t{0}), nullptr);
}

} // namespace
