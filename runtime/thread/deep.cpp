// See deep.h.
#include "thread/deep.h"

#include "base/lock.h"
#include "base/log.h"
#include "os/linux/memory.h"
#include "thread/stack.h"
#include "thread/thread.h"

#include <new>

extern "C" {
// arch/x86_64/switch.S reads this, and compares `address - begin < bytes`. 0 bytes: there are no deep stacks.
uintptr_t skein_deep_begin __attribute__((visibility("hidden")));
uintptr_t skein_deep_bytes __attribute__((visibility("hidden")));
}

namespace skein {

namespace {

SpinLock lock{Rank::stack_pool};
uint32_t next = 0, count = 0, free_count = 0;
uint32_t free_numbers[deep_most];

size_t stride() { return round_up(stack_bytes_max() + 2 * guard_bytes_min, slot_alignment); }

std::byte *area() { return reinterpret_cast<std::byte *>(skein_deep_begin); }

DeepStack at(uint32_t number) {
  std::byte *begin = area() + number * stride();
  return {begin + guard_bytes_min, begin + stride() - guard_bytes_min};
}

void *acquire() {
  Guard guard(lock);
  if (free_count)
    return at(free_numbers[--free_count]).high;
  if (next == count)
    fatal("%u threads wait in callbacks from foreign code, each with a deep stack of its own: no more are to be had",
          count);
  const DeepStack deep = at(next);
  if (!memory_open(deep.low, static_cast<size_t>(deep.high - deep.low)))
    fatal("no memory, or no mapping (sysctl vm.max_map_count), for a deep stack of %zu KiB", stride() >> 10);
  next++;
  return deep.high;
}

} // namespace

size_t deep_bytes(uint32_t of) { return of * stride(); }

void deep_lay_out(std::byte *begin, uint32_t of) {
  count = of;
  skein_deep_begin = reinterpret_cast<uintptr_t>(begin);
  skein_deep_bytes = deep_bytes(count);
}

DeepStack deep_containing(const void *address) {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - skein_deep_begin;
  if (offset >= skein_deep_bytes)
    return {};
  return at(static_cast<uint32_t>(offset / stride()));
}

void deep_release(void *top) {
  auto *inside = static_cast<std::byte *>(top) - 1;
  Guard guard(lock);
  free_numbers[free_count++] = static_cast<uint32_t>(static_cast<size_t>(inside - area()) / stride());
}

/// From switch.S, on the worker's stack: `next` is on a stack that grows and about to run, and has a deep stack of its
/// own or the worker has none.
extern "C" Thread *skein_deep_change(Processor *processor, Thread *next) {
  if (next->deep) {
    if (processor->deep_top)
      deep_release(processor->deep_top);
    processor->deep_top = next->deep;
    next->deep = nullptr;
  } else {
    processor->deep_top = acquire();
  }
  return next;
}

uint32_t deep_opened() { return next; }

void deep_after_fork() { new (&lock) SpinLock(Rank::stack_pool); }

} // namespace skein
