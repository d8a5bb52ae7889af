// The switch alone, as the stubs of the runtime do it: suspend the caller, run an implementation on the worker's stack,
// resume another thread. For `skein bench threads`, beside Boost.Context's jump.
#include "sched/sched.h"

using namespace skein;

static Thread *other;

/// The caller waits, in no queue, until the other one switches to it.
extern "C" Thread *raw_park_call(Thread *self) {
  other = self;
  return thread_next();
}

extern "C" Thread *raw_switch_call(Thread *self) {
  Thread *next = other;
  other = self;
  return next;
}

/// The other one goes on for good, and the caller is an ordinary ready thread again.
extern "C" Thread *raw_release_call(Thread *self) {
  Thread *next = other;
  thread_ready(self);
  return next;
}
