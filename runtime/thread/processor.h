// What a kernel thread that runs Skein threads needs to know at once: which thread runs, and where its own stack
// begins. The scheduler's Worker derives from it. Other kernel threads (progress threads, the program's own pthreads)
// have none.
#ifndef SKEIN_THREAD_PROCESSOR_H
#define SKEIN_THREAD_PROCESSOR_H

#include "arch/x86_64/offsets.h"
#include "arch/x86_64/segment.h"

#include <cstdint>

namespace skein {

struct Thread;

struct Processor {
  Thread *current = nullptr;    // running, or the one whose call is being served; null while the worker looks for one
  void *stack_top = nullptr;    // where a stub puts rsp before it calls an implementation; 16-aligned
  int *errno_address = nullptr; // this kernel thread's errno
  // The top of the deep stack for foreign calls (growable.h); null until a growable thread runs.
  void *deep_top = nullptr;
  uintptr_t segment = 0; // what gs holds, so that a switch need not set it again
  uint32_t mxcsr = 0;    // the control words of this kernel thread while no thread runs: those of the last one
  uint32_t x87_control = 0;
  void *stack_bottom = nullptr;    // lowest byte of that stack, for the address sanitizer
  void *sanitizer_stack = nullptr; // the worker's fake stack while a thread runs
  uint32_t index = 0;              // the number of the worker
};
static_assert(__builtin_offsetof(Processor, current) == SKEIN_PROCESSOR_CURRENT);
static_assert(__builtin_offsetof(Processor, stack_top) == SKEIN_PROCESSOR_STACK_TOP);
static_assert(__builtin_offsetof(Processor, errno_address) == SKEIN_PROCESSOR_ERRNO);
static_assert(__builtin_offsetof(Processor, deep_top) == SKEIN_PROCESSOR_DEEP);
static_assert(__builtin_offsetof(Processor, segment) == SKEIN_PROCESSOR_SEGMENT);
static_assert(__builtin_offsetof(Processor, mxcsr) == SKEIN_PROCESSOR_MXCSR);
static_assert(__builtin_offsetof(Processor, x87_control) == SKEIN_PROCESSOR_X87CW);

} // namespace skein

/// The Processor of this kernel thread, or null. It is initial-exec, so that a stub reads it with two instructions.
extern "C" __thread skein::Processor *skein_processor;

namespace skein {

/// The gs of a thread that has no private globals: it has touched none yet, or the program has none (0).
extern uintptr_t segment_nowhere;

/// Sets the segment of this kernel thread's processor.
inline void processor_set_segment(Processor &processor, uintptr_t segment) {
  if (processor.segment != segment)
    segment_load(segment);
  processor.segment = segment;
}

/// No thread runs any more on this kernel thread, whose processor this is. Other kernel threads look at it
/// (sched/time_slices.cpp).
inline void processor_runs_none(Processor &processor) {
  __atomic_store_n(&processor.current, static_cast<Thread *>(nullptr), __ATOMIC_RELAXED);
}

/// Whether the runtime, or a function that it calls, runs on the worker's own stack. Programs run on other stacks.
[[gnu::always_inline]] inline bool on_workers_stack(const Processor &processor) {
  constexpr size_t most = 128 << 10;
  const auto top = reinterpret_cast<uintptr_t>(processor.stack_top);
  return top - reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < most;
}

/// The thread that is running on this kernel thread, or null.
inline Thread *thread_current() {
  Processor *processor = skein_processor;
  return processor ? processor->current : nullptr;
}

} // namespace skein

#endif
