// The SIGSEGV handler; see overflow.h.
#include "thread/overflow.h"

#include "base/log.h"
#include "os/linux/memory.h"
#include "thread/backtrace.h"
#include "thread/crash.h"
#include "thread/deep.h"
#include "thread/function_name.h"
#include "thread/thread.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ucontext.h>

namespace skein {

extern "C" {
/// Unit tests link the runtime without --wrap.
__attribute__((weak)) int __real_sigaction(int signal, const struct sigaction *action, struct sigaction *old);
__attribute__((weak)) sighandler_t __real_signal(int signal, sighandler_t handler);
__attribute__((weak)) int __real_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
__attribute__((weak)) int __real_sigprocmask(int how, const sigset_t *set, sigset_t *old);
}

bool (*fault_repair)(uintptr_t address);
bool (*fault_explain)(uintptr_t address, uintptr_t program_counter);

namespace {

struct sigaction previous; // the program's action: the one before ours, or what it has asked for since
struct sigaction ours;
bool installed; // ours is
constexpr unsigned frames_named = 12;
bool started;
constexpr size_t alternate_bytes = 64 << 10;
__thread void *alternate; // the alternate stack of this worker; null if the program had given it one

int set_action(int signal, const struct sigaction *action, struct sigaction *old) {
  return __real_sigaction ? __real_sigaction(signal, action, old) : sigaction(signal, action, old);
}

/// The function to blame: the one at the program counter. If that is one of the runtime's stubs, which push registers
/// on the caller's stack before they leave it, it is their caller, whose return address lies among the words just
/// pushed.
const char *function_at_fault(uintptr_t program_counter, const std::byte *sp, const Stack &stack, char *to,
                              size_t bytes) {
  function_name(program_counter, to, bytes);
  if (std::strncmp(to, "skein_", 6) != 0 && std::strncmp(to, "__skein_", 8) != 0 && std::strcmp(to, "(unknown)") != 0)
    return to; // unknown: a stub in a stripped program
  constexpr size_t words_most = SKEIN_SAVED_BYTES / sizeof(uintptr_t) + 1;
  auto *word = reinterpret_cast<const uintptr_t *>(sp < stack.low ? stack.low : sp);
  for (size_t i = 0; i < words_most && reinterpret_cast<const std::byte *>(word + i) < stack.high; i++)
    if (const char *caller = function_name_in_maps(word[i])) {
      std::snprintf(to, bytes, "%s", caller);
      break;
    }
  return to;
}

/// Reports if `address` lies in a guard zone, or in a stack that is not the running thread's. False: it does not.
/// Pages between the two guards of the thread's own stack are inaccessible only if the program has made them so.
bool explain(const std::byte *address, uintptr_t program_counter, const std::byte *sp, uintptr_t rbp) {
  const Thread *thread = thread_current();
  if (!thread || !thread->stack)
    return false;
  const Stack &stack = thread->stack;
  char buffer[160];
  const char *name = function_at_fault(program_counter, sp, stack, buffer, sizeof buffer);
  const ThreadName who = thread_name(thread->id);
  if (DeepStack deep = deep_containing(address); deep.low && address < deep.low)
    fatal(
        "thread %s in function %s overflowed its worker's deep stack of %td KiB, where foreign code and its callbacks "
        "run (raise it with SKEIN_OPTIONS=stack_max=…)",
        who.text, name, (deep.high - deep.low) >> 10);
  if (stack.contains(address) && address < stack.low)
    log("thread %s in function %s overflowed its %zu KiB stack (raise it with SKEIN_OPTIONS=%s=…)", who.text, name,
        stack.bytes() >> 10, stack.bytes() > stack_bytes() ? "stack_max" : "stack");
  else if (stack.contains(address) && address >= stack.high)
    log("thread %s in function %s used address %p, which lies above its own stack: it read on where its stack ends, "
        "or took the system's stack for its own",
        who.text, name, static_cast<const void *>(address));
  else if (Stack other = stack_containing(address); other && other.slot != stack.slot)
    log("thread %s in function %s used address %p, which lies in stack slot %u and not in its own (%u): a pointer to a "
        "stack that its thread has left, or to another thread's",
        who.text, name, static_cast<const void *>(address), other.slot, stack.slot);
  else
    return false;
  Interrupted at{program_counter, reinterpret_cast<uintptr_t>(sp), rbp};
  if (backtrace_log)
    backtrace_log(*thread, &at, frames_named);
  return true;
}

void on_fault(int signal, siginfo_t *info, void *context) {
  bool explained = false;
  if (info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const int error_number = errno;
    if (fault_repair && fault_repair(address)) {
      errno = error_number;
      return;
    }
    auto *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    explained =
        (fault_explain && fault_explain(address, static_cast<uintptr_t>(registers[REG_RIP]))) ||
        explain(static_cast<const std::byte *>(info->si_addr), static_cast<uintptr_t>(registers[REG_RIP]),
                reinterpret_cast<const std::byte *>(registers[REG_RSP]), static_cast<uintptr_t>(registers[REG_RBP]));
  }
  if (!explained && previous.sa_handler == SIG_DFL)
    crash_report(signal, *info, context);
  // The instruction runs again, under the action that was there before ours. A SIGSEGV sent by kill() has no
  // instruction to run again, so it is sent again.
  installed = false;
  set_action(signal, &previous, nullptr);
  if (info->si_code <= 0)
    raise(signal);
}

} // namespace

void overflow_start() {
  if (started)
    return;
  started = true;
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  installed = set_action(SIGSEGV, &ours, &previous) == 0;
}

void overflow_unblock() {
  if (!fault_repair)
    return;
  sigset_t fault;
  sigemptyset(&fault);
  sigaddset(&fault, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &fault, nullptr);
}

void overflow_worker_start() {
  stack_t old;
  if (sigaltstack(nullptr, &old) != 0 || !(old.ss_flags & SS_DISABLE))
    return;
  alternate = memory_allocate(alternate_bytes);
  if (!alternate)
    return; // an overflow will only be a bare crash
  stack_t stack{};
  stack.ss_sp = alternate;
  stack.ss_size = alternate_bytes;
  sigaltstack(&stack, nullptr);
}

void overflow_worker_stop() {
  if (!alternate)
    return;
  stack_t stack{};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  memory_free(alternate, alternate_bytes);
  alternate = nullptr;
}

} // namespace skein

using namespace skein;

/// Notes the action that the program asks for. It takes effect when a fault is not the runtime's business.
static int set_for_program(const struct sigaction *action, struct sigaction *old) {
  struct sigaction before = previous;
  if (action) {
    if (!installed && set_action(SIGSEGV, &ours, &before) != 0)
      return -1;
    installed = true;
    previous = *action;
  }
  if (old)
    *old = before;
  return 0;
}

/// What the program may block of these signals: not the fault that the runtime repairs, which would kill the process.
static const sigset_t *without_fault(const sigset_t *set, sigset_t &copy) {
  if (!set || !fault_repair)
    return set;
  copy = *set;
  sigdelset(&copy, SIGSEGV);
  return &copy;
}

extern "C" {

int __wrap_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  if (signal == SIGSEGV && started && (installed || action))
    return set_for_program(action, old);
  if (!action)
    return __real_sigaction(signal, action, old);
  struct sigaction without = *action;
  if (fault_repair)
    sigdelset(&without.sa_mask, SIGSEGV);
  return __real_sigaction(signal, &without, old);
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t copy;
  return __real_pthread_sigmask(how, how == SIG_UNBLOCK ? set : without_fault(set, copy), old);
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t copy;
  return __real_sigprocmask(how, how == SIG_UNBLOCK ? set : without_fault(set, copy), old);
}

sighandler_t __wrap_signal(int signal, sighandler_t handler) {
  if (signal != SIGSEGV || !started)
    return __real_signal(signal, handler);
  struct sigaction action{}, old;
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return set_for_program(&action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
}
