// The memory that moves with a thread: its stack, and what it owns (extents.h).
//
// A *place* in it means the same on every node: a distance from the end of the stack or, with `place_is_address`, an
// address in private memory. Places travel, and what a peer says of one is not trusted: `holds` decides.
#ifndef SKEIN_PRIVATE_REGIONS_THREAD_MEMORY_H
#define SKEIN_PRIVATE_REGIONS_THREAD_MEMORY_H

#include "private/regions/extents.h"
#include "thread/thread.h"

#include <cstddef>
#include <cstdint>

namespace skein {

class ThreadMemory {
public:
  /// Of the stack only the `live` bytes at its end.
  ThreadMemory(const Thread &thread, const Stack &stack, size_t live)
      : thread(thread), high(reinterpret_cast<uintptr_t>(stack.high)), low(high - live) {}
  /// What a suspended thread has in use.
  static ThreadMemory in_use(const Thread &thread) {
    return {thread, thread.stack, static_cast<size_t>(thread.stack.high - static_cast<const std::byte *>(thread.sp))};
  }
  /// The same with all of the stack, for a thread that runs or whose call is being served.
  static ThreadMemory all(const Thread &thread) { return {thread, thread.stack, thread.stack.bytes()}; }

  bool on_stack(uintptr_t address) const { return address >= low && address < high; }
  bool holds(uintptr_t address, size_t bytes) const {
    if (on_stack(address))
      return bytes <= high - address;
    const Extent *extent = extent_containing(thread, address);
    return extent && bytes <= extent->end() - address;
  }
  uint64_t place(uintptr_t address) const { return on_stack(address) ? high - address : address | place_is_address; }
  /// 0 if that is none on the stack.
  uintptr_t address(uint64_t place) const {
    return place & place_is_address ? place & ~place_is_address : place <= high - low ? high - place : 0;
  }

private:
  static constexpr uint64_t place_is_address = UINT64_C(1) << 63;
  const Thread &thread;
  uintptr_t high, low;
};

} // namespace skein

#endif
