// The core of semaphores, with local waiters and with records that stand for others.
#include "../in_scheduler.h"
#include "../local_semaphore.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace skein;
using namespace skein::test;

namespace {

struct Record : WaitRecord {
  int name;
  static inline std::vector<std::pair<int, uint64_t>> granted_to;
  explicit Record(int name) : name(name) {
    granted = [](WaitRecord *record, uint64_t result) {
      EXPECT_FALSE(record->linked());
      granted_to.emplace_back(static_cast<Record *>(record)->name, result);
    };
  }
};

struct SemaphoreTest : testing::Test {
  void SetUp() override { Record::granted_to.clear(); }
};

TEST_F(SemaphoreTest, CountsDownWithoutWaiting) {
  Semaphore semaphore(2);
  Record a(1);
  EXPECT_TRUE(semaphore.wait(&a));
  EXPECT_TRUE(semaphore.wait(&a));
  EXPECT_FALSE(semaphore.wait(&a));
  semaphore.signal();
  EXPECT_EQ(semaphore.count(), 0u); // went to the waiter
  semaphore.signal();
  EXPECT_EQ(semaphore.count(), 1u);
  EXPECT_EQ(Record::granted_to.size(), 1u);
}

TEST_F(SemaphoreTest, FirstComeFirstServed) {
  Semaphore semaphore(0);
  Record a(1), b(2), c(3);
  for (Record *record : {&a, &b, &c})
    EXPECT_FALSE(semaphore.wait(record));
  EXPECT_TRUE(semaphore.withdraw(&b));
  EXPECT_FALSE(semaphore.withdraw(&b));
  semaphore.signal();
  semaphore.signal();
  semaphore.signal();
  EXPECT_EQ(Record::granted_to, (std::vector<std::pair<int, uint64_t>>{{1, 0}, {3, 0}}));
  EXPECT_EQ(semaphore.count(), 1u);
}

TEST_F(SemaphoreTest, ClosingGrantsAllWithTheError) {
  Semaphore semaphore(0);
  Record a(1), b(2);
  EXPECT_FALSE(semaphore.wait(&a));
  EXPECT_FALSE(semaphore.wait(&b));
  semaphore.close(SKEIN_EDEAD);
  EXPECT_EQ(Record::granted_to, (std::vector<std::pair<int, uint64_t>>{{1, SKEIN_EDEAD}, {2, SKEIN_EDEAD}}));
}

TEST_F(SemaphoreTest, LocalThreadsWaitInOrder) {
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

TEST_F(SemaphoreTest, ClosedUnderAWaiter) {
  static Semaphore *gate;
  Semaphore semaphore(0);
  gate = &semaphore;
  in_scheduler(1, [] {
    uint64_t id = spawn(+[] { EXPECT_EQ(test_semaphore_wait(gate), SKEIN_EDEAD); });
    for (int i = 0; i < 5; i++)
      skein_yield();
    gate->close(SKEIN_EDEAD);
    EXPECT_EQ(skein_join(id), 0);
  });
}

} // namespace
