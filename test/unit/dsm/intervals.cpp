// Values over ranges, against a plain array.
#include "dsm/intervals.h"

#include <gtest/gtest.h>
#include <random>

using namespace skein;

TEST(Intervals, AgreeWithAnArray) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; round++) {
    Intervals intervals;
    uint8_t plain[300] = {};
    for (int step = 0; step < 60; step++) {
      const unsigned begin = 1 + random() % 290, end = begin + random() % (300 - begin);
      const auto value = static_cast<uint8_t>(random() % 4);
      intervals.set(begin, end, value);
      for (unsigned i = begin; i < end; i++)
        plain[i] = value;
      for (unsigned i = 0; i < 300; i++)
        ASSERT_EQ(intervals.at(i), plain[i]) << i;
      const unsigned from = random() % 299, to = from + 1 + random() % (299 - from);
      bool all = true;
      for (unsigned i = from; i < to; i++)
        all = all && plain[i] >= 2;
      ASSERT_EQ(intervals.all(from, to, [](uint8_t v) { return v >= 2; }), all);
      unsigned covered = 0, expected = 0;
      intervals.each([&](uint64_t a, uint64_t b, uint8_t v) {
        covered += static_cast<unsigned>(b - a);
        ASSERT_EQ(plain[a], v);
        ASSERT_EQ(plain[b - 1], v);
      });
      for (uint8_t v : plain)
        expected += v != 0;
      ASSERT_EQ(covered, expected);
    }
  }
}

TEST(Intervals, RoomIsFoundWithAGrainOnBothSides) {
  Intervals intervals;
  EXPECT_EQ(intervals.find_free(100, 200, 10, 5), 105u);
  intervals.set(105, 115, 1);
  EXPECT_EQ(intervals.find_free(100, 200, 10, 5), 120u);
  intervals.set(120, 190, 1);
  EXPECT_EQ(intervals.find_free(100, 200, 10, 5), 200u) << "none";
  intervals.set(105, 115, 0);
  EXPECT_EQ(intervals.find_free(100, 200, 10, 5), 105u);
  EXPECT_EQ(intervals.find_free(100, 200, 11, 5), 200u);
}
