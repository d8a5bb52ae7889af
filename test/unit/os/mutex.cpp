// The lock that sleeps: every waiter is woken, only one kernel thread has the lock at a time, and one that gives up is
// told so.
#include "os/linux/mutex.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace skein;

namespace {

TEST(Mutex, OneAtATime) {
  constexpr int kernel_threads = 4, rounds = 20000;
  Mutex mutex;
  long count = 0; // guarded
  std::atomic<int> inside{0};
  std::vector<std::thread> all;
  for (int i = 0; i < kernel_threads; i++)
    all.emplace_back([&, i] {
      for (int round = 0; round < rounds; round++) {
        if (i % 2)
          mutex.lock();
        else
          while (!(round % 3 ? mutex.try_lock() : mutex.try_lock_for(1000000)))
            std::this_thread::yield();
        EXPECT_EQ(inside.fetch_add(1), 0);
        count++;
        inside.fetch_sub(1);
        mutex.unlock();
      }
    });
  for (std::thread &each : all)
    each.join();
  EXPECT_EQ(count, kernel_threads * rounds);
}

TEST(Mutex, WhoGivesUp) {
  Mutex mutex;
  EXPECT_TRUE(mutex.try_lock_for(1000));
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_for(2000000)) << "it is taken, and stays so";
  std::thread sleeper([&] { // it is woken although another one gave up before
    mutex.lock();
    mutex.unlock();
  });
  mutex.unlock();
  sleeper.join();
  mutex.lock();
  mutex.reset();
  EXPECT_TRUE(mutex.try_lock()) << "whoever held it does not exist any more";
}

} // namespace
