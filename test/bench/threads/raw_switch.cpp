// The switch alone, as skein_yield does it: the caller's registers, control words and errno
// are saved in its stack, and the other one goes on (skein_swap). For `skein bench threads`, beside Boost.Context's
// jump, which saves the same but errno.
#include "arch/x86_64/switch.h"
#include "sched/sched.h"

using namespace skein;

static Thread *other;

/// The caller waits, in no queue, until the other one switches to it.
extern "C" Thread *raw_park_call(Thread *self) {
  other = self;
  return thread_next();
}

#ifdef SKEIN_FIBERS
extern "C" Thread *raw_switch_call(Thread *self) {
  Thread *next = other;
  other = self;
  return next;
}
#else
/// The parameters are those of skein_swap, and nobody passes them.
extern "C" uint64_t raw_switch_quick(Thread *, Processor *processor, std::atomic<bool> *until_saved) {
  static std::atomic<bool> nobody_waits;
  until_saved = &nobody_waits;
  processor = skein_processor;
  Thread *next = other;
  other = processor->current;
  [[clang::musttail]] return skein_swap(next, processor, until_saved);
}
#endif

/// The other one goes on for good, and the caller is an ordinary ready thread again.
extern "C" Thread *raw_release_call(Thread *self) {
  Thread *next = other;
  thread_ready(self);
  return next;
}
