// Semaphore handles on one node: counting, waiting, freeing under a waiter, wrong handles.
#include "../in_scheduler.h"
#include "net/messages/calls.h"

#include <gtest/gtest.h>
#include <skein/shared.h>
#include <string>

using namespace skein;
using namespace skein::test;

namespace {

int passed;

void waiter(uint64_t semaphore) {
  if (skein_semaphore_wait(semaphore) == SKEIN_OK)
    passed++;
}

int freed_result;
std::string freed_text;
void waiter_of_a_freed_one(uint64_t semaphore) {
  freed_result = skein_semaphore_wait(semaphore);
  freed_text = skein_error_text();
}

} // namespace

TEST(Semaphores, CountAndWait) {
  for (unsigned workers : {1u, 3u})
    in_scheduler(workers, [] {
      passed = 0;
      skein_semaphore_t semaphore = skein_semaphore_create(2);
      ASSERT_NE(semaphore, 0u);
      EXPECT_EQ(skein_semaphore_wait(semaphore), SKEIN_OK);
      EXPECT_EQ(skein_semaphore_trywait(semaphore), SKEIN_OK);
      EXPECT_EQ(skein_semaphore_trywait(semaphore), SKEIN_EBUSY);
      skein_thread_t threads[50];
      for (skein_thread_t &thread : threads)
        thread = spawn(waiter, semaphore);
      for (int i = 0; i < 20; i++)
        skein_yield();
      EXPECT_EQ(passed, 0);
      for (size_t i = 0; i < std::size(threads); i++)
        EXPECT_EQ(skein_semaphore_signal(semaphore), SKEIN_OK);
      for (skein_thread_t thread : threads)
        EXPECT_EQ(skein_join(thread), SKEIN_OK);
      EXPECT_EQ(skein_semaphore_free(semaphore), SKEIN_OK);
    });
}

TEST(Semaphores, FreeingTellsTheWaiter) {
  in_scheduler(1, [] {
    skein_semaphore_t semaphore = skein_semaphore_create(0);
    skein_thread_t thread = spawn(waiter_of_a_freed_one, semaphore);
    skein_yield();
    EXPECT_EQ(skein_semaphore_free(semaphore), SKEIN_OK);
    EXPECT_EQ(skein_join(thread), SKEIN_OK);
    EXPECT_EQ(freed_result, SKEIN_ETHREAD);
    EXPECT_EQ(freed_text, "skein_semaphore_wait: the object was freed while the thread waited");
  });
}

TEST(Semaphores, WrongHandles) {
  in_scheduler(1, [] {
    skein_semaphore_t semaphore = skein_semaphore_create(0);
    EXPECT_EQ(skein_semaphore_free(semaphore), SKEIN_OK);
    EXPECT_EQ(skein_semaphore_free(semaphore), SKEIN_ETHREAD);
    EXPECT_EQ(skein_semaphore_signal(semaphore), SKEIN_ETHREAD);
    EXPECT_EQ(skein_semaphore_wait(semaphore), SKEIN_ETHREAD);
    EXPECT_EQ(skein_semaphore_wait(0), SKEIN_ETHREAD);
    EXPECT_EQ(skein_semaphore_wait(UINT64_C(3) << 40 | 1), SKEIN_ETHREAD) << "of node 3, which is not there";
    EXPECT_NE(skein_semaphore_create(0), semaphore) << "handles are not used again";
  });
}
