// Kernel threads that share the caller's thread-local memory; see crew.h.
#include "checkpoint/store/crew.h"

#include <algorithm>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>

namespace skein::store {

namespace {

constexpr size_t stack_bytes = size_t{256} << 10;

struct Hand {
  void (*work)(void *context, unsigned i);
  void *context;
  unsigned i;
  int running; // the kernel clears and wakes it when the thread has ended
};

int begin(void *argument) {
  auto *hand = static_cast<Hand *>(argument);
  hand->work(hand->context, hand->i);
  return 0; // libc's clone ends the kernel thread then, and nothing else
}

void wait_for(Hand &hand) {
  while (const int running = __atomic_load_n(&hand.running, __ATOMIC_ACQUIRE))
    system(SYS_futex, &hand.running, FUTEX_WAIT, running, nullptr, nullptr, 0); // not private: the kernel's wake is not
}

struct SignalsBlocked {
  uint64_t before, pending = 0;
  SignalsBlocked() {
    const uint64_t all = ~UINT64_C(0);
    system(SYS_rt_sigpending, &pending, sizeof pending);
    system(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  }
  ~SignalsBlocked() {
    // A write beyond RLIMIT_FSIZE is reported as an error, and shall not end the process besides.
    const uint64_t too_large = UINT64_C(1) << (SIGXFSZ - 1);
    const timespec now = {};
    if (!(pending & too_large))
      system(SYS_rt_sigtimedwait, &too_large, nullptr, &now, sizeof too_large);
    system(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  }
};

} // namespace

void crew_run(unsigned threads, OwnMemory &memory, void (*work)(void *, unsigned), void *context) {
#if defined(SKEIN_ASAN) || defined(SKEIN_TSAN)
  threads = 1; // what sanitizers insert uses thread-local memory
#endif
  SignalsBlocked blocked;
  Hand hands[crew_max];
  unsigned begun = 1;
  threads = std::clamp(threads, 1u, crew_max);
  auto *stack = threads > 1 ? memory.get<char>(stack_bytes * (threads - 1)) : nullptr;
  const int errno_before = errno; // clone sets it if it fails
  for (; stack && begun < threads; begun++, stack += stack_bytes) {
    hands[begun] = {work, context, begun, 1};
    constexpr int flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
    if (clone(begin, stack + stack_bytes, flags, &hands[begun], nullptr, nullptr, &hands[begun].running) < 0)
      break;
  }
  errno = errno_before;
  work(context, 0);
  for (unsigned i = 1; i < begun; i++)
    wait_for(hands[i]);
}

} // namespace skein::store
