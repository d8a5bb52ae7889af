// Sleeping on a word, and clocks.
#include "os/linux/futex.h"

#include <gtest/gtest.h>
#include <thread>

using namespace skein;

namespace {

TEST(Futex, ReturnsAtOnceIfTheWordDiffers) {
  std::atomic<uint32_t> word{1};
  uint64_t before = clock_ns();
  futex_wait(word, 0);
  EXPECT_LT(clock_ns() - before, 1'000'000'000u);
}

TEST(Futex, TimesOut) {
  std::atomic<uint32_t> word{0};
  uint64_t before = clock_ns();
  futex_wait(word, 0, 20'000'000);
  uint64_t waited = clock_ns() - before;
  EXPECT_GE(waited, 19'000'000u);
  EXPECT_LT(waited, 5'000'000'000u);
}

TEST(Futex, WakesASleeper) {
  std::atomic<uint32_t> word{0};
  std::thread sleeper([&] {
    while (word.load() == 0)
      futex_wait(word, 0);
  });
  word.store(1);
  futex_wake(word);
  sleeper.join();
  EXPECT_EQ(word.load(), 1u);
}

TEST(Cores, AtLeastOne) { EXPECT_GE(cores(), 1u); }

} // namespace
