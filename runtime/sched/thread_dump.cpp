// Dumps of all threads; see thread_dump.h.
#include "sched/thread_dump.h"

#include "base/log.h"
#include "sched/bundle.h"
#include "sched/worker.h"
#include "thread/backtrace.h"
#include "thread/function_name.h"
#include "thread/parked.h"
#include "thread/table.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

namespace skein {

bool (*wait_describe)(const Thread &thread, char *to, size_t bytes);

namespace {

constexpr unsigned frames_named = 6; // of each thread
constexpr uint64_t named_most = 100; // how many threads are named
constexpr unsigned patience_s = 10;  // for a snapshot in which something is locked that no thread unlocks

void log_frames(const Thread &thread, const Interrupted *at) {
  if (backtrace_log)
    backtrace_log(thread, at, frames_named);
}

void log_ready(const Thread &thread) {
  char text[160];
  const auto start = reinterpret_cast<uintptr_t>(thread.start.function);
  if (thread.stack)
    log("  thread %s is ready, in bundle %s", thread_name(thread.id).text, thread.bundle->name);
  else
    log("  thread %s is ready to begin with `%s`, in bundle %s", thread_name(thread.id).text,
        function_name(start, text, sizeof text), thread.bundle->name);
  log_frames(thread, nullptr);
}

/// What the snapshot is told of: the thread that the signal interrupted, and where it was.
struct Dump {
  const Thread *interrupted;
  Interrupted at;
  uint64_t told = 0, others = 0;
};

void log_thread(Thread *thread, void *context) {
  auto &dump = *static_cast<Dump *>(context);
  if (dump.told == named_most) {
    dump.others++;
    return;
  }
  dump.told++;
  switch (const ThreadState state = thread->state.load(std::memory_order_relaxed)) {
  case ThreadState::blocked:
  case ThreadState::created:
    return log_wait(*thread);
  case ThreadState::initialised:
  case ThreadState::ready:
    return log_ready(*thread);
  case ThreadState::running:
    log("  thread %s runs on worker %u", thread_name(thread->id).text, thread->worker);
    if (thread == dump.interrupted)
      log_frames(*thread, &dump.at);
    return;
  default:
    log("  thread %s is %s", thread_name(thread->id).text, thread_state_name(state));
  }
}

[[noreturn]] void report_and_exit(Dump &dump) {
  struct sigaction by_default{};
  for (int number : {SIGALRM, SIGSEGV, SIGBUS, SIGABRT})
    // The signals have their default actions, neither ours nor the program's.
    syscall(SYS_rt_sigaction, number, &by_default, nullptr, sizeof(uint64_t));
  alarm(patience_s);
  log("SIGQUIT: %llu threads on %u workers", static_cast<unsigned long long>(threads_living()), workers_count());
  thread_each_in_snapshot(log_thread, &dump);
  parked_each_in_snapshot(log_thread, &dump);
  if (dump.others)
    log("  and %llu more", static_cast<unsigned long long>(dump.others));
  _exit(0);
}

void on_quit(int number, siginfo_t *, void *context) {
  const int saved_errno = errno;
  const auto *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  Dump dump{thread_current(),
            {static_cast<uintptr_t>(registers[REG_RIP]), static_cast<uintptr_t>(registers[REG_RSP]),
             static_cast<uintptr_t>(registers[REG_RBP])}};
  const auto child = static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (child == 0)
    report_and_exit(dump);
  const int clone_error = errno;
  int status = 0;
  while (child > 0 && waitpid(child, &status, __WALL) < 0 && errno == EINTR)
    ;
  if (child < 0)
    log("SIGQUIT: what the threads do cannot be told: a snapshot of the process could not be made: %s",
        strerrordesc_np(clone_error));
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    log("SIGQUIT: what the threads do was not told, or not all of it: the snapshot of the process was killed, as the "
        "kernel does when memory runs out");
  else if (status != 0)
    log("SIGQUIT: what the threads do could not be read, or not all of it: it was just changing");
  signal(number, SIG_DFL); // the signal comes again when this handler returns
  raise(number);
  errno = saved_errno;
}

} // namespace

void log_wait(const Thread &thread) {
  if (thread.state.load(std::memory_order_relaxed) == ThreadState::created)
    return log("  thread %s waits for skein_start", thread_name(thread.id).text);
  char object[320];
  const char *reason = thread.wait.reason ? thread.wait.reason : "an unknown call";
  if (std::strcmp(reason, "skein_join") == 0)
    log("  thread %s waits in skein_join for thread %s", thread_name(thread.id).text,
        thread_name(reinterpret_cast<uint64_t>(thread.wait.object) >> 1).text);
  else if (wait_describe && wait_describe(thread, object, sizeof object))
    log("  thread %s waits in %s for %s", thread_name(thread.id).text, reason, object);
  else if (thread.wait.object)
    log("  thread %s waits in %s (%p)", thread_name(thread.id).text, reason, thread.wait.object);
  else // it waits for no object, but for all nodes, say
    log("  thread %s waits in %s", thread_name(thread.id).text, reason);
  log_frames(thread, nullptr);
}

void thread_dump_start() {
  struct sigaction action{}, before;
  if (sigaction(SIGQUIT, nullptr, &before) != 0 || before.sa_handler != SIG_DFL)
    return;
  action.sa_sigaction = on_quit;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGQUIT, &action, nullptr);
}

} // namespace skein
