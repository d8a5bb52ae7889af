// See growable.h.
#include "thread/growable.h"

#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "base/once.h"
#include "os/linux/memory.h"
#include "thread/deep.h"
#include "thread/places.h"
#include "thread/slots.h"

#include <atomic>
#include <cstring>
#include <sys/auxv.h>
#include <sys/resource.h>

extern "C" {
// arch/x86_64/deep.S and grow.S read this, and compare `address - begin < bytes`. 0 bytes: there are no such stacks.
uintptr_t skein_growable_begin __attribute__((visibility("hidden")));
uintptr_t skein_growable_bytes __attribute__((visibility("hidden")));
}

namespace skein {

namespace {

constexpr uint32_t slots_most = UINT32_C(1) << 20; // for one node
constexpr uint64_t bytes_most = UINT64_C(9) << 40; // for all nodes
constexpr uint32_t slots_least = 8;

/// Frames of unchecked leaf functions, the entry of the growth (3 KiB where it keeps vectors of 512 bits), the switch;
/// the frame of a signal comes on top.
constexpr size_t headroom_of_code = 8 << 10;

std::atomic<bool> there{false};

/// Reserves address space at the place of the run, which is the same on all nodes; null if that is not possible. Sets
/// the class's count.
std::byte *reserve_unique(uint32_t nodes, uint32_t deep_count) {
  uint32_t slots = slots_most;
  while (slots > slots_least && growing.stride * slots * nodes > bytes_most)
    slots /= 2;
  growing.count = slots * nodes;
  const size_t bytes = growing.address_bytes() + deep_bytes(deep_count);
  return static_cast<std::byte *>(
      memory_reserve_at(reinterpret_cast<void *>(place_in_run(RunPlace::growing, bytes)), bytes));
}

/// Reserves address space anywhere, as much as there is.
std::byte *reserve_anywhere(uint64_t most, uint32_t &deep_count) {
  for (growing.count = slots_most; growing.count >= slots_least; growing.count /= 2) {
    deep_count = growing.count < deep_most ? growing.count : deep_most;
    const size_t bytes = growing.address_bytes() + deep_bytes(deep_count) + slot_alignment;
    if (bytes > most)
      continue;
    if (void *at = memory_reserve(bytes))
      return reinterpret_cast<std::byte *>(round_up(reinterpret_cast<uintptr_t>(at), slot_alignment));
  }
  return nullptr;
}

void start_growable() {
#ifdef SKEIN_ASAN
  return; // the sanitizer knows of two stacks for a worker, not of three
#endif
  if (!knobs.grow)
    return;
  growing.set_size(growable_bytes_max() + growable_headroom());
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const auto nodes = static_cast<uint32_t>(node.count);
  const bool must = knobs.stacks == StackStrategy::reserve;
  uint32_t deep_count = deep_most;
  std::byte *at = nullptr;
  if (must || (nodes > 1 && knobs.stacks != StackStrategy::relocate && !limited))
    at = reserve_unique(nodes, deep_count);
  const bool unique = at != nullptr;
  if (!at && !must)
    at = reserve_anywhere(limited ? limit.rlim_cur / 4 : bytes_most, deep_count);
  if (!at) {
    growing.count = 0;
    return; // not enough address space: fixed stacks
  }
  if (!growing.lay_out(at, growing_first, nodes, unique))
    fatal("out of memory for the table of stacks that grow");
  deep_lay_out(at + growing.address_bytes(), deep_count);
  skein_growable_begin = reinterpret_cast<uintptr_t>(at);
  skein_growable_bytes = growing.address_bytes();
  there.store(true, std::memory_order_release); // pairs with the acquire in growing_is_there()
}

} // namespace

bool growing_is_there() {
  static Once once;
  once(start_growable);
  return there.load(std::memory_order_acquire); // pairs with the release in start_growable()
}

bool growable_marked(const void *function) {
  uint32_t mark;
  std::memcpy(&mark, static_cast<const std::byte *>(function) - sizeof mark, sizeof mark);
  return mark == SKEIN_GROWABLE_MARK;
}

bool growable_function(const void *function) { return growable_marked(function) && growing_is_there(); }

size_t growable_bytes_max() { return stack_bytes_max(); }

size_t growable_headroom() {
  const size_t signal_frame = getauxval(AT_MINSIGSTKSZ);
  return round_up(headroom_of_code + (signal_frame ? signal_frame : 4 << 10), page_bytes());
}

uint64_t stack_limit(const Stack &stack, size_t use) {
  if (!is_growable(stack))
    return 0;
  size_t granted = knobs.grow_first ? knobs.grow_first : kept_of_free;
  while (granted < use)
    granted *= 2;
  if (granted > kept_of_free)
    growing.change_status(stack.slot, slot_deep, 0);
  const size_t most = stack.bytes() - growable_headroom();
  return reinterpret_cast<uint64_t>(stack.high - (granted < most ? granted : most));
}

uint32_t growable_slots_used() { return there.load(std::memory_order_acquire) ? growing.ever_used() : 0; }

} // namespace skein
