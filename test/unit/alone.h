// Runs a test's body as Skein's main thread in a process of its own. One worker is alone there (base/alone.h) if there
// is only one, and once another kernel thread has come, no worker of that process is alone again.
#ifndef SKEIN_TEST_UNIT_ALONE_H
#define SKEIN_TEST_UNIT_ALONE_H

#include "base/alone.h"
#include "base/uneven_barrier.h"
#include "in_scheduler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::test {

/// `function` returns 0, or a number that says what was wrong.
template <class Function> void alone(Function function, unsigned workers = 1) {
  const pid_t child = fork();
  if (!child)
    _exit(in_scheduler_returning(workers, function));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace skein::test

#endif
