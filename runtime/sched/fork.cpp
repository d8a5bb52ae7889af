// What the child of a fork has to put right; see fork.h. The records and stacks of the other threads are not freed
// there: they are lost memory.
#include "sched/fork.h"

#include "base/alone.h"
#include "base/log.h"
#include "private/library/kernel_threads.h"
#include "private/regions/regions.h"
#include "sched/bundle.h"
#include "sched/limits.h"
#include "sched/timers.h"
#include "sched/worker.h"
#include "thread/stack.h"

#include <pthread.h>

namespace skein {

namespace {

bool orphan;

void in_child() {
  alone_forked();
  Worker *mine = worker_current();
  Thread *self = thread_current();
  if (!mine || !self)
    return; // outside of Skein threads: before main, after its end, or in the program's own kernel thread
  if (mine->index != 0)
    orphan = true;
  workers_after_fork(*mine);
  stacks_after_fork();
  threads_after_fork(self);
  kernel_threads_after_fork(*self);
  bundles_after_fork(self);
  limits_after_fork();
  regions_after_fork();
  main_after_fork();
  timers_after_fork();
  events.forked();
}

/// The child would run on the stacks of this process, at the same time.
void before_fork() {
  if (stacks_are_shared())
    fatal(
        "a program cannot call fork() while its nodes share the memory of stacks (SKEIN_OPTIONS=stacks=shared), since "
        "its child would run on the same stack: use stacks=auto; posix_spawn(), system() and popen() work");
}

} // namespace

void fork_start() { pthread_atfork(before_fork, nullptr, in_child); }
bool fork_orphan() { return orphan; }

} // namespace skein
