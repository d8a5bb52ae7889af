// Tells a sanitizer about each switch of stacks, if the runtime is built with one (presets asan and tsan, which define
// SKEIN_FIBERS): switch.S calls these four. `leave_` runs on the stack that is left, `on_` on the one that was reached.
#ifdef SKEIN_ASAN

#include "thread/thread.h"

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

namespace skein {

namespace {
char ending_mark;
void *const ending = &ending_mark; // in Thread::sanitizer_stack: the fake stack goes with the last switch
} // namespace

extern "C" {

void skein_sanitizer_ending() { thread_current()->sanitizer_stack = ending; }

__attribute__((no_sanitize("address"))) void skein_sanitizer_leave_thread(Processor *processor) {
  if (!processor->stack_bottom) {
    pthread_attr_t attributes;
    size_t bytes = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &processor->stack_bottom, &bytes);
    pthread_attr_destroy(&attributes);
  }
  auto *bottom = static_cast<std::byte *>(processor->stack_bottom);
  void **fake = &processor->current->sanitizer_stack;
  __sanitizer_start_switch_fiber(*fake == ending ? nullptr : fake, bottom,
                                 static_cast<size_t>(static_cast<std::byte *>(processor->stack_top) - bottom));
}

__attribute__((no_sanitize("address"))) void skein_sanitizer_on_worker(Processor *processor) {
  __sanitizer_finish_switch_fiber(processor->sanitizer_stack, nullptr, nullptr);
}

__attribute__((no_sanitize("address"))) void skein_sanitizer_leave_worker(Processor *processor, Thread *next) {
  __sanitizer_start_switch_fiber(&processor->sanitizer_stack, next->stack.low, next->stack.bytes());
}

__attribute__((no_sanitize("address"))) void skein_sanitizer_on_thread(Processor *processor) {
  __sanitizer_finish_switch_fiber(processor->current->sanitizer_stack, nullptr, nullptr);
}
}

} // namespace skein

#endif

// The thread sanitizer keeps a fiber for each stack that has run, and takes a switch for an order between what came
// before it on the one stack and what comes after it on the other. Its own calls may not be instrumented: they begin on
// one fiber and end on another.
#ifdef SKEIN_TSAN

#include "thread/thread.h"

#include <sanitizer/tsan_interface.h>

#define SKEIN_NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation))

namespace skein {

extern "C" {

SKEIN_NOT_INSTRUMENTED void skein_sanitizer_ending() {}

SKEIN_NOT_INSTRUMENTED void skein_sanitizer_leave_thread(Processor *processor) {
  __tsan_switch_to_fiber(processor->sanitizer_stack, 0);
}

SKEIN_NOT_INSTRUMENTED void skein_sanitizer_on_worker(Processor *) {}

SKEIN_NOT_INSTRUMENTED void skein_sanitizer_leave_worker(Processor *processor, Thread *next) {
  if (!processor->sanitizer_stack)
    processor->sanitizer_stack = __tsan_get_current_fiber();
  if (!next->sanitizer_stack)
    next->sanitizer_stack = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(next->sanitizer_stack, 0);
}

SKEIN_NOT_INSTRUMENTED void skein_sanitizer_on_thread(Processor *) {}

/// These read a record while it is being made new:
///
///   * claim (sched/bundles/stealing.cpp), through a stale entry of a deque: its exchange finds a null pointer before
///     and after, and leaves it.
///   * slice_of (sched/time_slices.cpp), for a thread that was running a moment ago: it reads one aligned word, which
///   is null,
///     the bundle that was or the one that will be, and bundles are never given back. A flag set in error is an early
///     poll.
const char *__tsan_default_suppressions() { return "race:^claim$\nrace:::claim(\nrace:::slice_of(\nrace:^slice_of$\n"; }

/// The fault handler allocates: it notes what a thread keeps of its private memory, when the thread first touches it.
/// It runs in place of the instruction that touched it, which is the program's or that of a libc function that was
/// given the address. malloc and the related functions, whose locks it could find taken, touch no private memory.
const char *__tsan_default_options() { return "report_signal_unsafe=0"; }
}

} // namespace skein

#endif
