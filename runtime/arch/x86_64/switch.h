// The context switch (switch.S) as C++ sees it.
//
// A suspended thread is described by its `sp`; offsets.h says what lies above that. Only a stub (stub.h) suspends a
// thread, and only the tail of a stub resumes one.
#ifndef SKEIN_ARCH_X86_64_SWITCH_H
#define SKEIN_ARCH_X86_64_SWITCH_H

#include "arch/x86_64/control_words.h"
#include "arch/x86_64/offsets.h"

#include <atomic>
#include <cstdint>

extern "C" {

/// Return address of a thread's first function: the walk ends at the frame that returns here.
extern const char skein_thread_bottom[];

/// A thread that has not run yet is "resumed" here: this loads its arguments and calls its function.
extern const char skein_thread_begin[];
}

namespace skein {

struct Processor;
struct Thread;

/// The instruction that suspends the running thread. It faults on a worker that runs none.
extern "C" const char skein_switch_suspends[];

/// This kernel thread becomes a worker and resumes `first`; returns when an implementation returns null.
extern "C" void skein_worker_enter(Processor *processor, Thread *first);

/// Suspends the caller of the stub that ended in a jump here, and resumes `next`: the end of a quick way
/// (sched/quick.h). `until_saved` becomes false, with release, when the caller's context is saved. Returns what the
/// caller's call returns. Neither of the two has a stack that grows, and both have the same segment. Not in sanitized
/// builds.
extern "C" uint64_t skein_swap(Thread *next, Processor *processor, std::atomic<bool> *until_saved);

/// The second half of skein_swap: the caller no longer exists, and its stack is free.
extern "C" void skein_go(Thread *next, Processor *processor);

/// What a stub pushes. It lies at Thread::sp of a suspended thread.
struct SavedContext {
  int32_t error_number; // errno is the thread's own, wherever it goes
  uint32_t zero;
  ControlWords control;
  uint64_t r15, r14, r13, r12, rbx, rbp;
  uint64_t return_address;
};
static_assert(sizeof(SavedContext) == SKEIN_SAVED_BYTES);
static_assert(__builtin_offsetof(SavedContext, control.mxcsr) == SKEIN_SAVED_MXCSR);
static_assert(__builtin_offsetof(SavedContext, control.x87) == SKEIN_SAVED_X87CW);
static_assert(__builtin_offsetof(SavedContext, r15) == SKEIN_SAVED_REGISTERS);
static_assert(__builtin_offsetof(SavedContext, return_address) == SKEIN_SAVED_RETURN);

} // namespace skein

#endif
