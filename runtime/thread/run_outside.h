// Functions of the program that run where no Skein thread is, as far as they and the runtime can tell: plain handlers
// of messages (net/messages/active.cpp) and what threads do when they move (migrate/move_handlers.h). An API call that
// would block says that it cannot, no prologue looks for room on a thread's stack, and numbers are rounded as when the
// process began.
#ifndef SKEIN_THREAD_RUN_OUTSIDE_H
#define SKEIN_THREAD_RUN_OUTSIDE_H

#include "arch/x86_64/control_words.h"
#include "thread/processor.h"
#include "thread/thread.h"

#include <cstdint>

namespace skein {

/// The word of the thread control block that prologues compare with; see thread/growable.h.
inline uint64_t stack_limit_now() {
  uint64_t limit;
  asm volatile("movq %%fs:0x70, %0" : "=r"(limit));
  return limit;
}
inline void stack_limit_set(uint64_t limit) { asm volatile("movq %0, %%fs:0x70" : : "r"(limit)); }

/// Runs it with the private variables that `segment` leads to (Suspended::segment); with segment_nowhere a use of one
/// faults by its name. On a kernel thread's stack, that of a processor or another.
template <class Function> void run_outside(uintptr_t segment, Function &&function) {
  Processor *processor = skein_processor;
  const ControlWords control = control_words_now();
  if (!control.same_modes(control_words_of_process))
    control_words_load(control_words_of_process);
  const uint64_t limit = stack_limit_now();
  if (processor)
    processor_set_segment(*processor, segment); // the next switch to a thread sets it again
  else if (segment != segment_nowhere)
    segment_load(segment);
  skein_processor = nullptr;
  stack_limit_set(0);
  function();
  stack_limit_set(limit);
  skein_processor = processor;
  if (!processor && segment != segment_nowhere)
    segment_load(segment_nowhere);
  if (!control.same_modes(control_words_now()))
    control_words_load(control);
}

} // namespace skein

#endif
