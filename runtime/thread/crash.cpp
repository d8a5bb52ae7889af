// See crash.h.
#include "thread/crash.h"

#include "arch/x86_64/switch.h"
#include "base/knobs.h"
#include "base/log.h"
#include "thread/backtrace.h"
#include "thread/function_name.h"
#include "thread/thread.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <ucontext.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr unsigned frames_named = 24;
std::atomic<pid_t> told_by{0}; // the kernel thread that reports; 0: none has reported

/// What went wrong, if the signal's name does not say it.
const char *fault_name(int signal, int code) {
  if (signal == SIGFPE)
    switch (code) {
    case FPE_INTDIV:
      return ": an integer was divided by zero";
    case FPE_INTOVF:
      return ": the quotient of two integers is too large";
    case FPE_FLTDIV:
      return ": a number was divided by zero, and the program has asked to be told";
    case FPE_FLTINV:
      return ": an invalid operation on numbers, and the program has asked to be told";
    default:
      return "";
    }
  if (signal == SIGBUS && code == BUS_ADRALN)
    return ": an address is not aligned";
  if (signal == SIGBUS)
    return ": a mapped file is too short, or memory is broken";
  return signal == SIGILL ? ": an instruction that this processor does not have, or a trap of the compiler's" : "";
}

void on_crash(int signal, siginfo_t *info, void *context) {
  const int saved_errno = errno;
  crash_report(signal, *info, context);
  ::signal(signal, SIG_DFL); // the instruction runs again
  if (info->si_code <= 0)    // there is none: it was sent
    raise(signal);
  errno = saved_errno;
}

} // namespace

void crash_report(int signal, const siginfo_t &info, const void *context) {
  if (!knobs.crash_report)
    return;
  pid_t nobody = 0;
  const pid_t self = gettid();
  if (!told_by.compare_exchange_strong(nobody, self)) {
    while (nobody != self)
      pause();
    return; // the report itself has crashed
  }
  const auto *registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  const Interrupted at{static_cast<uintptr_t>(registers[REG_RIP]), static_cast<uintptr_t>(registers[REG_RSP]),
                       static_cast<uintptr_t>(registers[REG_RBP])};
  char what[96], function[160];
  if (info.si_code > 0 && signal == SIGSEGV && info.si_code != SEGV_MAPERR && info.si_code != SEGV_ACCERR)
    std::snprintf(what, sizeof what, "SIGSEGV: an address that no process can have");
  else if (info.si_code > 0 && signal == SIGSEGV)
    std::snprintf(what, sizeof what, "SIGSEGV at address 0x%zx", reinterpret_cast<size_t>(info.si_addr));
  else
    std::snprintf(what, sizeof what, "SIG%s%s", sigabbrev_np(signal),
                  info.si_code > 0 ? fault_name(signal, info.si_code) : "");
  const Thread *thread = thread_current();
  if (!thread && at.pc == reinterpret_cast<uintptr_t>(skein_switch_suspends)) {
    log("a function of Skein that waits or jumps was called on a worker that runs no thread: by a signal handler that "
        "interrupted the runtime (block the signal around calls of skein_*), or in a callback of a library");
    return;
  }
  if (!thread) {
    log("a kernel thread that runs none of the program's threads dies in `%s` of %s",
        function_name(at.pc, function, sizeof function), what);
    return;
  }
  const auto start = reinterpret_cast<uintptr_t>(thread->start.function);
  log("thread %s dies of %s; it began with `%s` on node %d and has moved %u time%s between nodes",
      thread_name(thread->id).text, what, start ? function_name(start, function, sizeof function) : "main",
      thread_id_node(thread->id), thread->moves, thread->moves == 1 ? "" : "s");
  if (backtrace_log)
    backtrace_log(*thread, &at, frames_named);
}

void crash_start() {
  struct sigaction action{}, before;
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGBUS, SIGFPE, SIGILL, SIGABRT})
    if (knobs.crash_report && sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signal, &action, nullptr);
}

} // namespace skein
