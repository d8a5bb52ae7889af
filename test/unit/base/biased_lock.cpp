// Biased locks exclude, whichever kernel threads take them, and their owner gets them back when no other comes.
#include "base/biased_lock.h"
#include "base/uneven_barrier.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace skein;

namespace {

struct BiasedLockTest : testing::Test {
  static void SetUpTestSuite() { barrier_start(); }
};

TEST_F(BiasedLockTest, Excludes) {
  const int owner = 0;
  // The pause of the others decides whether the owner has to share it, or gets it back again and again.
  for (unsigned pause : {0u, 30u, 3000u}) {
    BiasedLock lock(Rank::leaf);
    lock.set_owner(&owner);
    long sum = 0; // not atomic: only the lock protects it
    std::atomic<int> others{3};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 3000; i++) {
          for (unsigned p = 0; p < pause; p++)
            __builtin_ia32_pause();
          BiasedGuard guard(lock, t ? nullptr : &others);
          sum++;
        }
        others--;
      });
    long mine = 0;
    for (; mine < 3000 || others; mine++) {
      BiasedGuard guard(lock, &owner);
      sum++;
    }
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(sum, mine + 9000);
  }
}

TEST_F(BiasedLockTest, TheOwnerGetsItBackWhenNobodyElseComes) {
  if (!barrier_asymmetric)
    GTEST_SKIP() << "no membarrier here: all take it as any other lock";
  const int owner = 0;
  BiasedLock lock(Rank::leaf);
  const auto take = [&](const void *who) {
    std::atomic<bool> &held = lock.lock(who);
    lock.unlock(held);
    return &held; // which way it was taken
  };
  const auto *plain = take(&owner);
  lock.set_owner(&owner);
  const auto *biased = take(&owner);
  EXPECT_NE(plain, biased);
  EXPECT_EQ(take(nullptr), plain);
  EXPECT_EQ(take(&owner), plain);
  int turns = 0;
  while (take(&owner) == plain && turns < 100'000)
    turns++;
  EXPECT_GT(turns, 100);
  EXPECT_LT(turns, 100'000);
  EXPECT_EQ(take(&owner), biased);
}

TEST_F(BiasedLockTest, OnlyTheOwnerSharesIt) {
  if (!barrier_asymmetric)
    GTEST_SKIP() << "no membarrier here: all take it as any other lock";
  const int owner = 0;
  BiasedLock lock(Rank::leaf);
  lock.set_owner(&owner);
  lock.share(nullptr);
  EXPECT_TRUE(lock.is_biased());
  lock.share(&owner);
  EXPECT_FALSE(lock.is_biased());
  BiasedGuard guard(lock, &owner);
}

TEST_F(BiasedLockTest, IsLetGoOfLater) {
  const int owner = 0;
  BiasedLock lock(Rank::leaf);
  lock.set_owner(&owner);
  std::atomic<bool> &until = lock.unlock_later(lock.lock(&owner));
  std::atomic<bool> taken{false};
  std::thread other([&] {
    BiasedGuard guard(lock, nullptr);
    taken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_FALSE(taken);
  until.store(false, std::memory_order_release);
  other.join();
  EXPECT_TRUE(taken);
}

} // namespace
