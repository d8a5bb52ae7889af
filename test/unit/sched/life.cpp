// A program's beginning and end: status, order, deadlocks, forks.
#include "../in_scheduler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace skein;
using namespace skein::test;

namespace {

std::atomic<int> done;

void late(int yields) {
  for (int i = 0; i < yields; i++)
    skein_yield();
  done++;
}

TEST(Life, StatusIsWhatMainReturns) {
  EXPECT_EQ(in_scheduler_returning(1, [] { return 42; }), 42);
  EXPECT_EQ(in_scheduler_returning(3, [] { return -1; }), -1);
}

// This happens on a node that hears of the end of the run before its own kernel thread has come so far.
TEST(Life, AnEndBeforeTheFirstThreadIsNotForgotten) {
  in_scheduler(1, [] {}); // starts what is started once in a process
  workers_setup();
  sched_stop(7);
  EXPECT_EQ(sched_run(nullptr), 7);
}

TEST(Life, EndsOnlyWhenTheLastThreadHas) {
  for (unsigned workers : {1u, 3u}) {
    done = 0;
    EXPECT_EQ(in_scheduler_returning(workers,
                                     [] {
                                       for (int i = 0; i < 50; i++)
                                         spawn(late, i * 10);
                                       return 3;
                                     }),
              3);
    EXPECT_EQ(done, 50);
    EXPECT_EQ(threads_living(), 0u);
  }
}

TEST(Life, NoOtherKernelThreadBeforeTheFirstSpawn) {
  in_scheduler(4, [] {
    EXPECT_EQ(workers_running(), 1u);
    EXPECT_EQ(workers_count(), 4u);
    skein_join(spawn(late, 0));
    EXPECT_EQ(workers_running(), 4u);
  });
  EXPECT_EQ(workers_running(), 1u);
}

TEST(Life, AThreadMaySpawnAfterMainEnded) {
  done = 0;
  in_scheduler(2, [] {
    spawn(+[] {
      late(100);
      spawn(late, 100);
    });
  });
  EXPECT_EQ(done, 2);
}

#if !__has_feature(thread_sanitizer) // its own kernel thread might wake a thread
TEST(LifeDeathTest, DeadlockIsTold) {
  for (unsigned workers : {1u, 3u})
    EXPECT_EXIT(_exit(in_scheduler_returning(workers,
                                             [] {
                                               skein_join(spawn(+[](uint64_t id) { skein_join(id); }, main_id));
                                               return 0;
                                             })),
                testing::ExitedWithCode(70),
                "deadlock.*\n.*thread 1 waits in skein_join for thread [0-9]+\n.*thread [0-9]+ waits in skein_join for "
                "thread 1");
}
#endif

#if !__has_feature(address_sanitizer) &&                                                                               \
    !__has_feature(thread_sanitizer) // whose leak check at exit counts what the other threads hold; the
// thread sanitizer cannot map memory at exit on a stack of ours
TEST(LifeDeathTest, ExitFromAnyThread) {
  EXPECT_EXIT(in_scheduler(3,
                           [] {
                             for (int i = 0; i < 10; i++)
                               spawn(late, 1000);
                             spawn(+[] { exit(9); });
                             for (;;)
                               skein_yield();
                           }),
              testing::ExitedWithCode(9), "");
}
#endif

#if !__has_feature(thread_sanitizer) // which does not know what the child of a fork has lost
int child_status(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Life, ChildOfAForkGoesOnWithItsOneThread) {
  for (unsigned workers : {1u, 3u}) {
    done = 0;
    int in_child = 0;
    int status = in_scheduler_returning(workers, [&] {
      for (int i = 0; i < 20; i++)
        spawn(late, 200);
      pid_t child = fork();
      if (child == 0) {
        in_child = 1;
        done = 0;
        skein_join(spawn(late, 10)); // the child is a whole program again
        for (int i = 0; i < 1000; i++)
          skein_yield();
        return done == 1 ? 5 : 6; // the parent's twenty do not run here
      }
      EXPECT_EQ(child_status(child), 5);
      return 0;
    });
    if (in_child)
      _exit(status);
    EXPECT_EQ(done, 20);
  }
}
#endif

} // namespace
