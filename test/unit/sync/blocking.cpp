// Threads block and are woken, by a semaphore that belongs to the test.
#include "../in_scheduler.h"
#include "../local_semaphore.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

TEST(Blocking, ThreadsWaitInOrder) {
  static std::string order;
  static Semaphore *gate;
  Semaphore semaphore(1);
  gate = &semaphore;
  order.clear();
  in_scheduler(1, [] {
    std::vector<uint64_t> ids;
    for (int i = 0; i < 4; i++) {
      ids.push_back(spawn(
          +[](int i) {
            EXPECT_EQ(test_semaphore_wait(gate), 0);
            order += static_cast<char>('a' + i);
          },
          i));
      skein_yield(); // each waits before the next one begins
    }
    EXPECT_EQ(order, "a"); // the count was 1
    for (int i = 0; i < 3; i++)
      gate->signal();
    for (uint64_t id : ids)
      skein_join(id);
    EXPECT_EQ(order, "abcd");
  });
}

} // namespace
