// Tells the address sanitizer about each switch of stacks, if the runtime is built with it (preset asan): switch.S
// calls these four. `leave_` runs on the stack that is left, `on_` on the one that was reached.
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
