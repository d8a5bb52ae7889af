// Deadlocks; see deadlock.h.
#include "sched/deadlock.h"

#include "base/log.h"
#include "base/node.h"
#include "sched/slices.h"
#include "sched/timers.h"
#include "sched/worker.h"
#include "thread/backtrace.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace skein {

bool (*wait_describe)(const Thread &thread, char *to, size_t bytes);

namespace {

constexpr unsigned named_most = 10;  // threads
constexpr unsigned frames_named = 6; // of each

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
  if (state == ThreadState::created) {
    log("  thread %s waits for skein_start", thread_name(thread->id).text);
    return;
  }
  char object[320];
  const char *reason = thread->wait_reason ? thread->wait_reason : "an unknown call";
  if (std::strcmp(reason, "skein_join") == 0)
    log("  thread %s waits in skein_join for thread %s", thread_name(thread->id).text,
        thread_name(reinterpret_cast<uint64_t>(thread->wait_object)).text);
  else if (wait_describe && wait_describe(*thread, object, sizeof object))
    log("  thread %s waits in %s for %s", thread_name(thread->id).text, reason, object);
  else
    log("  thread %s waits in %s (%p)", thread_name(thread->id).text, reason, thread->wait_object);
  if (backtrace_log)
    backtrace_log(*thread, nullptr, frames_named);
}

} // namespace

bool nobody_else_can_wake() {
  return node.count == 1 && !events.processor_idle && !timers_pending() &&
         kernel_threads() == workers_running() + slices_kernel_threads();
}

void deadlock_report() {
  log("deadlock: every thread waits, and nobody is left to wake one");
  unsigned waiting = 0;
  thread_each(name_waiter, &waiting);
  if (waiting > named_most)
    log("  and %u more", waiting - named_most);
  sched_stop(fatal_status);
}

} // namespace skein
