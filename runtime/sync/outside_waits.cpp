// Calls of <skein/sync.h> where no Skein thread runs: in a plain handler of messages, in a policy's function, on a
// kernel thread of the program.
//
// A thread of the runtime makes the same call a moment later. It never leaves this node, where the object lies. The
// call cannot be made at once: while there is one worker its threads change these objects without a lock prefix
// (quick_locks.h), since nobody else does.
//
// Signals of a condition mean nothing there, since the caller could not hold the mutex while it changed what is waited
// for. They are refused with a message, because nobody looks at their result.
#include "base/log.h"
#include "sched/sched.h"

#include <skein/sync.h>

namespace skein {

namespace {

constexpr char on_behalf[] = "the runtime, to signal an object of this node";

template <class Call> int by_a_thread(Call *call, const void *object, uint64_t argument, uint32_t arguments) {
  return thread_of_runtime(reinterpret_cast<void (*)(void)>(call), reinterpret_cast<uint64_t>(object), argument,
                           arguments, on_behalf)
             ? SKEIN_OK
             : SKEIN_EMEMORY;
}

int refused(const char *call) {
  log("%s: called where no Skein thread runs (in a plain handler of messages, say): nobody is woken", call);
  return SKEIN_ETHREAD;
}

} // namespace

extern "C" {

int skein_outside_sem_signal(skein_sem_t *sem) { return by_a_thread(skein_sem_signal, sem, 0, 1); }
int skein_outside_sem_signal_n(skein_sem_t *sem, uint64_t n) { return by_a_thread(skein_sem_signal_n, sem, n, 2); }
int skein_outside_sem_signal_all(skein_sem_t *sem) { return by_a_thread(skein_sem_signal_all, sem, 0, 1); }
int skein_outside_future_set(skein_future_t *future, uint64_t value) {
  return by_a_thread(skein_future_set, future, value, 2);
}

int skein_outside_condition_signal(skein_condition_t *) { return refused("skein_condition_signal"); }
int skein_outside_condition_broadcast(skein_condition_t *) { return refused("skein_condition_broadcast"); }
}

} // namespace skein
