// A test's body as Skein's main thread while one worker is alone in the process (base/alone.h): in a process of its
// own, since nobody is alone again once somebody has come.
#ifndef SKEIN_TEST_UNIT_ALONE_H
#define SKEIN_TEST_UNIT_ALONE_H

#include "base/alone.h"
#include "base/barrier.h"
#include "in_scheduler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::test {

/// `function` returns 0, or what was wrong.
template <class Function> void alone(Function function) {
  const pid_t child = fork();
  if (!child)
    _exit(in_scheduler_returning(1, function));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// While it can be: where the kernel has no membarrier, nobody is ever alone.
inline bool is_alone() { return !barrier_asymmetric || alone_state.load() == RuntimeUsers::alone; }

} // namespace skein::test

#endif
