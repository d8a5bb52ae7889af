// Spin locks exclude, and debug builds notice a wrong order.
#include "base/lock.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace skein;

namespace {

TEST(SpinLock, Excludes) {
  SpinLock lock(Rank::leaf);
  long sum = 0; // not atomic: only the lock protects it
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&] {
      for (int i = 0; i < 100'000; i++) {
        Guard guard(lock);
        sum++;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sum, 400'000);
}

TEST(SpinLock, TryLockFailsWhileHeld) {
  SpinLock lock(Rank::leaf);
  lock.lock();
  bool got = true;
  std::thread([&] { got = lock.try_lock(); }).join();
  EXPECT_FALSE(got);
  lock.unlock();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

#ifndef NDEBUG
TEST(SpinLockDeathTest, WrongOrderOfRanks) {
  SpinLock inner(Rank::queue), outer(Rank::limits);
  Guard guard(inner);
  EXPECT_DEATH(outer.lock(), "rank 62 is wanted while one of rank 70 is held");
}

TEST(SpinLockDeathTest, ReleasedByAnother) {
  SpinLock lock(Rank::queue);
  EXPECT_DEATH(lock.unlock(), "does not hold it");
}
#endif

} // namespace
