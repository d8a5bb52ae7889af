// How long a worker without a thread drives, by how long it had to wait.
#include "net/run/driving_time.h"

#include <gtest/gtest.h>

using skein::DrivingTime;

TEST(DrivingTime, TwiceAsLongAsAShortWait) {
  DrivingTime time;
  EXPECT_EQ(time.ns(), DrivingTime::least_ns);
  time.waited(100'000, true);
  EXPECT_EQ(time.ns(), 200'000U);
  time.waited(1'000, true);
  EXPECT_EQ(time.ns(), DrivingTime::least_ns);
}

TEST(DrivingTime, OnlyAMomentAfterALongWait) {
  DrivingTime time;
  time.waited(DrivingTime::short_ns - 1, false);
  EXPECT_EQ(time.ns(), 2 * (DrivingTime::short_ns - 1));
  time.waited(DrivingTime::short_ns, false);
  EXPECT_EQ(time.ns(), DrivingTime::least_ns);
}

TEST(DrivingTime, AWaitIsLongSoonerWhereCoresAreShared) {
  DrivingTime alone, crowded;
  alone.waited(1'000'000, false);
  crowded.waited(1'000'000, true);
  EXPECT_EQ(alone.ns(), 2'000'000U);
  EXPECT_EQ(crowded.ns(), DrivingTime::least_ns);
}
