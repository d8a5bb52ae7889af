// Deadlocks; see deadlock.h.
#include "sched/deadlock.h"

#include "base/log.h"
#include "base/node.h"
#include "sched/thread_dump.h"
#include "sched/time_slices.h"
#include "sched/timers.h"
#include "sched/worker.h"
#include "thread/parked.h"
#include "thread/table.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr unsigned named_most = 100; // threads

/// Kernel threads of this process; 0 if it cannot be known.
uint32_t kernel_threads() {
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  char text[4096];
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0)
    return 0;
  text[length] = 0;
  const char *line = std::strstr(text, "\nThreads:");
  return line ? static_cast<uint32_t>(std::atoi(line + sizeof "\nThreads:" - 1)) : 0;
}

void name_waiter(Thread *thread, void *context) {
  unsigned &named = *static_cast<unsigned *>(context);
  const ThreadState state = thread->state.load(std::memory_order_relaxed);
  if ((state != ThreadState::blocked && state != ThreadState::created) || named++ >= named_most)
    return;
  log_wait(*thread);
}

} // namespace

bool nobody_else_can_wake() {
  return node.count == 1 && !events.processor_idle && !timers_pending() &&
         kernel_threads() == workers_running() + slices_kernel_threads();
}

void log_waiters() {
  unsigned waiting = 0;
  thread_each_in_snapshot(name_waiter, &waiting); // nobody else runs, and describing one may ask all threads
  parked_each_in_snapshot(name_waiter, &waiting);
  if (waiting > named_most)
    log("  and %u more", waiting - named_most);
}

void deadlock_report() {
  log("deadlock: every thread waits, and nobody is left to wake one");
  log_waiters();
  sched_stop(fatal_status);
}

} // namespace skein
