// Which addresses are shared ones, and lazy mapping.
#include "dsm/slices.h"

#include <gtest/gtest.h>

using namespace skein;

TEST(Slices, OwnersOfAddresses) {
  EXPECT_EQ(slice_owner(SKEIN_SHARED_BASE), 0);
  EXPECT_EQ(slice_owner(SKEIN_SHARED_BASE + slice_bytes - 1), 0);
  EXPECT_EQ(slice_owner(SKEIN_SHARED_BASE + slice_bytes), -1) << "there is one node";
  EXPECT_EQ(slice_owner(SKEIN_SHARED_BASE - 1), -1);
  EXPECT_EQ(slice_owner(SKEIN_SHARED_END), -1);
  EXPECT_EQ(slice_owner(0), -1);
  EXPECT_EQ(slice_owner(UINT64_MAX), -1);
}

TEST(Slices, RangesMustNotLeaveTheSlice) {
  EXPECT_TRUE(slice_holds(SKEIN_SHARED_BASE, slice_bytes));
  EXPECT_FALSE(slice_holds(SKEIN_SHARED_BASE, slice_bytes + 1));
  EXPECT_FALSE(slice_holds(SKEIN_SHARED_BASE + 8, slice_bytes));
  EXPECT_FALSE(slice_holds(SKEIN_SHARED_BASE + 8, UINT64_MAX));
  EXPECT_TRUE(slice_holds(SKEIN_SHARED_BASE + slice_bytes - 8, 8));
}

TEST(Slices, AreMappedWhenFirstTouched) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process in which only this test runs
  EXPECT_EXIT(
      {
        bool before = __skein_slice_mapped[0];
        slice_map(0);
        slice_map(0);
        *reinterpret_cast<volatile int *>(slice_begin(0) + 12345 * 4) = 7;
        _exit(before ? 1 : __skein_slice_mapped[0] == 1 && __skein_slice_mapped[1] == 0 ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}
