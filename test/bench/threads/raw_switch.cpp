// The switch alone, as skein_yield makes it: the caller's registers, control words and errno are saved on its stack,
// and the other thread goes on (skein_swap). `skein bench threads` compares it with Boost.Context's jump, which saves
// the same except errno.
#include "arch/x86_64/switch.h"
#include "sched/sched.h"

using namespace skein;

static Thread *other;

/// The caller waits, in no queue, until the other thread switches to it.
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
/// The parameters are those of skein_swap, which calls this.
extern "C" uint64_t raw_switch_quick(Thread *, Processor *processor, std::atomic<bool> *until_saved) {
  static std::atomic<bool> nobody_waits;
  until_saved = &nobody_waits;
  processor = skein_processor;
  Thread *next = other;
  other = processor->current;
  [[clang::musttail]] return skein_swap(next, processor, until_saved);
}
#endif

/// The other thread goes on, and the caller is an ordinary ready thread again.
extern "C" Thread *raw_release_call(Thread *self) {
  Thread *next = other;
  thread_ready(self);
  return next;
}
