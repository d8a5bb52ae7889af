// A function that finds itself below its thread's limit asks whether it may go deeper (growable.h).
//
// This is the implementation of two stubs (grow.S), which run on the worker's stack with the thread suspended. Nothing
// moves: the limit is lowered to the next power of two, if that lies on the thread's stack; otherwise the program ends.
#include "arch/x86_64/switch.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/once.h"
#include "thread/deep.h"
#include "thread/function_name.h"
#include "thread/growable.h"
#include "thread/thread.h"

#include <atomic>
#include <cstdlib>

namespace skein {

namespace {

std::atomic<uint64_t> grown{0}, deepest{0};

void print_report() {
  report("grow: stacks grew %llu times, to %llu KiB at most; %u growable stacks at most, %u deep ones",
         static_cast<unsigned long long>(grown.load(std::memory_order_relaxed)),
         static_cast<unsigned long long>(deepest.load(std::memory_order_relaxed) >> 10), growable_slots_used(),
         deep_opened());
}

[[noreturn]] void overflowed(const Thread &thread, uintptr_t pc) {
  char name[160];
  fatal("thread %s in function %s overflowed its %zu KiB stack (raise it with SKEIN_OPTIONS=stack_max=…)",
        thread_name(thread.id).text, function_name(pc, name, sizeof name), growable_bytes_max() >> 10);
}

/// Makes room for the function at `pc`, which wants `bytes` more than what lies above `from`.
void grow(Thread &thread, uintptr_t from, uint64_t bytes, uintptr_t pc) {
  static Once reported;
  reported([] {
    if (knobs.grow_report)
      std::atexit(print_report);
  });
  const uint64_t use = reinterpret_cast<uintptr_t>(thread.stack.high) - from;
  if (bytes > growable_bytes_max() || use + bytes > growable_bytes_max())
    overflowed(thread, pc);
  thread.limit = stack_limit(thread.stack, use + bytes);
  grown.fetch_add(1, std::memory_order_relaxed);
  uint64_t before = deepest.load(std::memory_order_relaxed);
  while (before < use + bytes && !deepest.compare_exchange_weak(before, use + bytes, std::memory_order_relaxed)) {
  }
}

} // namespace

} // namespace skein

using namespace skein;

extern "C" {

/// __skein_grow_wide calls __skein_grow here; the return address of the function that asks lies above that.
extern const char skein_grow_wide_return[] __attribute__((visibility("hidden")));

/// Called before a prologue at `pc`, with rsp at `entry`.
Thread *skein_grow_call(Thread *self, uint64_t entry, uint64_t frame, uint64_t pc, uint64_t) {
  if (pc == reinterpret_cast<uintptr_t>(skein_grow_wide_return))
    pc = *reinterpret_cast<const uint64_t *>(entry);
  grow(*self, entry, frame, pc);
  return self;
}

/// Called before a block of variable size.
Thread *skein_reserve_call(Thread *self, uint64_t bytes, uint64_t, uint64_t, uint64_t) {
  grow(*self, reinterpret_cast<uintptr_t>(self->sp), bytes,
       static_cast<const SavedContext *>(self->sp)->return_address);
  return self;
}
}
