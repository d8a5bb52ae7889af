// See growable.h.
#include "thread/growable.h"

#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "base/once.h"
#include "os/linux/memory.h"
#include "thread/free_slots.h"
#include "thread/places.h"
#include "thread/thread.h"

#include <atomic>
#include <cstring>
#include <new>
#include <sys/auxv.h>
#include <sys/resource.h>

extern "C" {
// Read by arch/x86_64/deep.S and switch.S, which compare `address - begin < bytes`. 0 bytes: there are none.
uintptr_t skein_growable_begin __attribute__((visibility("hidden")));
uintptr_t skein_growable_bytes __attribute__((visibility("hidden")));
uintptr_t skein_deep_begin __attribute__((visibility("hidden")));
uintptr_t skein_deep_bytes __attribute__((visibility("hidden")));
}

namespace skein {

namespace {

constexpr uint32_t first_slot = UINT32_C(1) << 31; // slots of growable stacks: 1, class (4 bits), number (27 bits)
constexpr unsigned class_shift = 27;
constexpr uint32_t number_mask = (UINT32_C(1) << class_shift) - 1;
constexpr unsigned classes_most = 16;
constexpr uint32_t smallest_most = UINT32_C(1) << 21;
constexpr uint64_t all_bytes_most = UINT64_C(8) << 40; // of all nodes
constexpr uint64_t larger_class_bytes = UINT64_C(64) << 30;
constexpr uint32_t least_of_a_class = 64;
constexpr uint32_t deep_most = 4096;
constexpr uint32_t quarantine_most = 1024; // per class: each may cost two mappings
constexpr uint32_t rotation_least = 61;    // stress: as stack.h promises
constexpr size_t discard_from = 96 << 10;  // larger stacks give their pages back when they are released

/// Frames of unchecked leaf functions, the entry of the growth, the switch; the frame of a signal comes on top.
constexpr size_t headroom_of_code = 4 << 10;

struct SlabClass {
  std::byte *begin = nullptr;
  size_t stride = 0, bytes = 0;
  uint32_t count = 0;                    // of each node
  uint32_t first = 0;                    // of this node
  uint32_t total = 0;                    // of all nodes
  std::atomic<uint8_t> *state = nullptr; // where slots are unique: one for each
  // Under the lock.
  uint32_t next = 0; // never used: [next, first + count)
  FreeSlots free;
  uint32_t quarantine[quarantine_most];
  uint32_t oldest = 0, quarantined = 0;
};

/// Of a slot that is unique.
enum : uint8_t {
  slot_here = 1,   // of another node: a thread, or the quarantine, of this process has it
  slot_away = 2,   // of this node: its thread is on another one
  slot_closed = 4, // it has been made inaccessible
};

SlabClass classes[classes_most];
bool unique = false;
bool opened[classes_most][nodes_max]; // the part of another node; under the lock
std::atomic<unsigned> class_total{0}; // written once, when all of them are complete; 0: stacks do not grow, or not yet

unsigned class_count() { return class_total.load(std::memory_order_acquire); } // pairs with the release in start()
size_t headroom = 0;

SpinLock lock{Rank::stack_pool};
uint64_t in_use = 0, in_use_most = 0;
uint32_t deep_next = 0, deep_free[deep_most], deep_free_count = 0, deep_count = 0;
size_t deep_stride = 0;

size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

std::byte *deep_area() { return reinterpret_cast<std::byte *>(skein_deep_begin); }
DeepStack deep_at(uint32_t number) {
  std::byte *begin = deep_area() + number * deep_stride;
  return {begin + guard_bytes_min, begin + deep_stride - guard_bytes_min};
}

Stack stack_at(unsigned of_class, uint32_t number) {
  const SlabClass &slab = classes[of_class];
  Stack stack;
  stack.slot_begin = slab.begin + number * slab.stride;
  stack.slot_end = stack.slot_begin + slab.stride;
  stack.high = stack.slot_end - guard_bytes_min;
  stack.low = stack.high - slab.bytes;
  stack.slot = first_slot | of_class << class_shift | number;
  return stack;
}

SlabClass &class_of_slot(uint32_t slot) { return classes[slot >> class_shift & 15]; }
SlabClass &class_of(const Stack &stack) { return class_of_slot(stack.slot); }
bool owned(const SlabClass &slab, uint32_t number) { return number - slab.first < slab.count; }
std::atomic<uint8_t> &state_of(uint32_t slot) { return class_of_slot(slot).state[slot & number_mask]; }

/// Bytes of address space for all slots if the smallest class has `smallest` of them.
size_t lay_out(unsigned of, uint32_t smallest, uint32_t nodes) {
  size_t sum = 0;
  for (unsigned i = 0; i < of; i++) {
    SlabClass &slab = classes[i];
    uint64_t count = i == 0 ? smallest : larger_class_bytes / slab.stride;
    if (count > smallest)
      count = smallest;
    slab.count = static_cast<uint32_t>(count > least_of_a_class ? count : least_of_a_class);
    slab.total = slab.count * nodes;
    sum += slab.total * slab.stride;
  }
  return sum;
}

uint32_t never_used(SlabClass &slab) {
  const uint32_t end = slab.first + slab.count;
  while (slab.next < end && stack_is_ambiguous(stack_at(static_cast<unsigned>(&slab - classes), slab.next)))
    slab.next++;
  return slab.next < end ? slab.next++ : no_slot;
}

uint32_t take(SlabClass &slab) { return slab.free.free_count ? slab.free.take() : never_used(slab); }

/// The slot that has waited longest, accessible again. no_slot: there is none, or no mapping for it.
uint32_t out_of_quarantine(SlabClass &slab, unsigned of_class) {
  if (!slab.quarantined)
    return no_slot;
  const uint32_t number = slab.quarantine[slab.oldest];
  const Stack stack = stack_at(of_class, number);
  if (!memory_open(stack.low, stack.bytes()))
    return no_slot;
  slab.oldest = (slab.oldest + 1) % quarantine_most;
  slab.quarantined--;
  return number;
}

void count_use(uint64_t by) {
  in_use += by;
  if (in_use > in_use_most)
    in_use_most = in_use;
}

} // namespace

static void start() {
#ifdef SKEIN_ASAN
  return; // the sanitizer knows of two stacks for a worker, not of three
#endif
  if (!knobs.grow || knobs.stacks == StackStrategy::reserve)
    return;
  const size_t page = page_bytes();
  headroom = growable_headroom();

  const size_t most = stack_bytes_max();
  unsigned count = 0;
  for (size_t stride = slot_alignment;; stride *= 2) {
    SlabClass &slab = classes[count++];
    slab.stride = stride;
    slab.bytes = stride - 2 * guard_bytes_min;
    if (slab.bytes >= most + headroom || count == classes_most) {
      if (slab.bytes > most + headroom)
        slab.bytes = round_up(most + headroom, page);
      break;
    }
  }
  deep_stride = round_up(most + 2 * guard_bytes_min, slot_alignment);
  deep_count = deep_most;

  rlimit limit{};
  const uint64_t most_bytes =
      getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur / 4 : UINT64_MAX;
  std::byte *at = nullptr;
  size_t slabs = 0;
  const auto nodes = static_cast<uint32_t>(node.count);
  if (nodes > 1 && knobs.stacks == StackStrategy::auto_ && most_bytes == UINT64_MAX) {
    uint32_t smallest = smallest_most;
    while ((slabs = lay_out(count, smallest, nodes)) > all_bytes_most ||
           static_cast<uint64_t>(smallest) * nodes > number_mask)
      smallest /= 2;
    const size_t bytes = slabs + deep_count * deep_stride;
    at = static_cast<std::byte *>(
        memory_reserve_at(reinterpret_cast<void *>(place_in_run(RunPlace::growing, bytes)), bytes));
    unique = at != nullptr;
  }
  for (uint32_t smallest = smallest_most; !at && smallest >= least_of_a_class; smallest /= 2, deep_count /= 2) {
    slabs = lay_out(count, smallest, 1);
    const size_t bytes = slabs + deep_count * deep_stride + slot_alignment;
    if (bytes > most_bytes || deep_count == 0)
      continue;
    at = static_cast<std::byte *>(memory_reserve(bytes));
    if (at) {
      at = reinterpret_cast<std::byte *>(round_up(reinterpret_cast<uintptr_t>(at), slot_alignment));
      if (!memory_open(at, slabs)) {
        memory_free(at, slabs + deep_count * deep_stride);
        at = nullptr;
      }
    }
    if (at)
      break;
  }
  if (!at)
    return; // not enough address space: fixed stacks
  std::byte *begin = at;
  for (unsigned i = 0; i < count; i++) {
    SlabClass &slab = classes[i];
    slab.begin = begin;
    if (unique) {
      slab.first = slab.next = static_cast<uint32_t>(node.self) * slab.count;
      slab.state = static_cast<std::atomic<uint8_t> *>(memory_allocate(round_up(slab.total, page)));
      if (!slab.state)
        fatal("out of memory for the table of growable stacks");
      if (!memory_open(begin + slab.first * slab.stride, slab.count * slab.stride))
        fatal("no memory for stacks that grow");
    }
    begin += slab.total * slab.stride;
    slab.free.slots = static_cast<uint32_t *>(memory_allocate(round_up(slab.count * sizeof(uint32_t), page)));
    slab.free.capacity = slab.count;
    if (!slab.free.slots)
      fatal("out of memory for the table of growable stacks");
  }
  skein_growable_begin = reinterpret_cast<uintptr_t>(at);
  skein_growable_bytes = slabs;
  skein_deep_begin = skein_growable_begin + slabs;
  skein_deep_bytes = deep_count * deep_stride;
  class_total.store(count, std::memory_order_release); // pairs with the acquire in class_count()
}

/// Whether stacks grow here; the first to ask, be it for a thread that starts or for one that arrives, lays them out.
static bool growing() {
  static Once once;
  once(start);
  return class_count() != 0;
}

bool growable_marked(const void *function) {
  uint32_t mark;
  std::memcpy(&mark, static_cast<const std::byte *>(function) - sizeof mark, sizeof mark);
  return mark == SKEIN_GROWABLE_MARK;
}

bool growable_function(const void *function) { return growable_marked(function) && growing(); }

size_t growable_bytes_max() { return stack_bytes_max(); }

size_t growable_headroom() {
  const size_t signal_frame = getauxval(AT_MINSIGSTKSZ);
  return round_up(headroom_of_code + (signal_frame ? signal_frame : 4 << 10), page_bytes());
}

uint64_t stack_limit(const Stack &stack) {
  if (!is_growable(stack))
    return 0;
  std::byte *limit = stack.low + headroom;
  const unsigned of_class = stack.slot >> class_shift & 15;
  if (knobs.grow_first &&
      of_class + 1 < class_count()) { // for tests: the first is "full" early, the next ones by doubling
    const size_t use = knobs.grow_first << of_class;
    if (use < static_cast<size_t>(stack.high - limit))
      limit = stack.high - use;
  }
  return reinterpret_cast<uint64_t>(limit);
}

Stack growable_acquire(size_t bytes) {
  if (!growing())
    return {};
  for (unsigned i = 0; i < class_count(); i++) {
    SlabClass &slab = classes[i];
    const Stack any = stack_at(i, 0);
    if (bytes > reinterpret_cast<uint64_t>(any.high) - stack_limit(any))
      continue;
    Guard guard(lock);
    uint32_t number = take(slab);
    if (number == no_slot)
      number = out_of_quarantine(slab, i);
    if (number == no_slot && slab.free.aside_count)
      number = slab.free.take_aside();
    if (number == no_slot)
      continue; // a larger one will do
    count_use(1);
    return stack_at(i, number);
  }
  return {};
}

Stack growable_acquire_fresh(const Stack &like) {
  SlabClass &slab = class_of(like);
  const auto of_class = static_cast<unsigned>(&slab - classes);
  Guard guard(lock);
  uint32_t number = no_slot;
  if (slab.quarantined < rotation_least)
    number = never_used(slab);
  if (number == no_slot)
    number = out_of_quarantine(slab, of_class);
  if (number == no_slot)
    return {};
  count_use(1);
  return stack_at(of_class, number);
}

bool growable_is_unique() { return unique; }

int growable_owner(uint32_t slot) {
  return unique ? static_cast<int>((slot & number_mask) / class_of_slot(slot).count) : node.self;
}

Stack growable_in_slot(uint32_t slot) {
  const unsigned of_class = slot >> class_shift & 15;
  if (!growing() || !unique || of_class >= class_count() || (slot & number_mask) >= classes[of_class].total)
    return {};
  return stack_at(of_class, slot & number_mask);
}

bool growable_is_away(uint32_t slot) { return state_of(slot).load(std::memory_order_relaxed) & slot_away; }

bool growable_in_use(const Stack &stack) {
  const SlabClass &slab = class_of(stack);
  return !unique || owned(slab, stack.slot & number_mask) ||
         (state_of(stack.slot).load(std::memory_order_relaxed) & slot_here);
}

Stack growable_acquire_slot(uint32_t slot) {
  const Stack stack = growable_in_slot(slot);
  if (!stack)
    return {};
  const SlabClass &slab = class_of(stack);
  const bool ours = owned(slab, slot & number_mask);
  Guard guard(lock);
  const uint8_t state = state_of(slot).load(std::memory_order_relaxed);
  if (ours ? !(state & slot_away) : state & slot_here)
    return {}; // another thread is on it, or it is one of our free ones
  const auto owner = static_cast<uint32_t>(growable_owner(slot));
  bool &part = opened[&slab - classes][owner];
  if (!ours && !part)
    part = memory_open(slab.begin + owner * slab.count * slab.stride, slab.count * slab.stride);
  if ((!ours && !part) || ((state & slot_closed) && !memory_open(stack.low, stack.bytes())))
    return {};
  state_of(slot).store(ours ? 0 : slot_here, std::memory_order_relaxed);
  count_use(1);
  return stack;
}

void growable_leave(const Stack &stack, bool close) {
  memory_discard(stack.low, stack.bytes());
  const bool closed = close && memory_close(stack.low, stack.bytes());
  Guard guard(lock);
  in_use--;
  const uint8_t away = owned(class_of(stack), stack.slot & number_mask) ? slot_away : 0;
  state_of(stack.slot).store(away | (closed ? slot_closed : 0), std::memory_order_relaxed);
}

bool growable_returned(uint32_t slot) {
  const Stack stack = growable_in_slot(slot);
  if (!stack)
    return false;
  SlabClass &slab = class_of(stack);
  Guard guard(lock);
  const uint8_t state = state_of(slot).load(std::memory_order_relaxed);
  if (!owned(slab, slot & number_mask) || !(state & slot_away))
    return false;
  if ((state & slot_closed) && !memory_open(stack.low, stack.bytes()))
    return true; // never used again
  state_of(slot).store(0, std::memory_order_relaxed);
  slab.free.give(slot & number_mask);
  return true;
}

void growable_release(const Stack &stack, bool left_in_globals) {
  SlabClass &slab = class_of(stack);
  if (!owned(slab, stack.slot & number_mask)) {
    growable_leave(stack, false);
    return foreign_slot_released(stack.slot);
  }
  if (stack.bytes() >= discard_from)
    memory_discard(stack.low, stack.bytes());
  uint32_t again = no_slot;
  {
    Guard guard(lock);
    in_use--;
    if (!left_in_globals)
      return slab.free.give(stack.slot & number_mask);
    if (slab.free.aside_count)
      again = slab.free.take_aside();
    slab.free.set_aside(stack.slot & number_mask);
  }
  if (again == no_slot)
    return;
  const auto ask = stack_left_in_globals.load(std::memory_order_acquire); // pairs with the release in leftovers_start
  const bool still = ask && ask(stack_at(static_cast<unsigned>(&slab - classes), again));
  Guard guard(lock);
  if (still)
    slab.free.set_aside(again);
  else
    slab.free.give(again);
}

/// Under the lock. A slot of another node that comes out of it, if any.
static uint32_t quarantine(SlabClass &slab, uint32_t number) {
  uint32_t foreign = no_slot;
  if (slab.quarantined == quarantine_most) {
    const uint32_t freed = out_of_quarantine(slab, static_cast<unsigned>(&slab - classes));
    if (freed == no_slot)
      return no_slot; // this one is lost: that cannot be made accessible
    if (owned(slab, freed))
      slab.free.give(freed);
    else
      foreign = freed;
  }
  slab.quarantine[(slab.oldest + slab.quarantined++) % quarantine_most] = number;
  return foreign;
}

void growable_quarantine(const Stack &stack, bool protect) {
  SlabClass &slab = class_of(stack);
  if (protect && !memory_close(stack.low, stack.bytes()))
    protect = false; // out of mappings: at least it waits
  uint32_t foreign = no_slot;
  {
    Guard guard(lock);
    in_use--;
    foreign = quarantine(slab, stack.slot & number_mask);
  }
  if (foreign == no_slot)
    return;
  const Stack freed = stack_at(static_cast<unsigned>(&slab - classes), foreign);
  memory_discard(freed.low, freed.bytes());
  state_of(freed.slot).store(0, std::memory_order_relaxed);
  foreign_slot_released(freed.slot);
}

Stack growable_containing(const void *address) {
  auto *byte = static_cast<const std::byte *>(address);
  for (unsigned i = 0; i < class_count(); i++) {
    const SlabClass &slab = classes[i];
    if (byte >= slab.begin && byte < slab.begin + slab.total * slab.stride)
      return stack_at(i, static_cast<uint32_t>(static_cast<size_t>(byte - slab.begin) / slab.stride));
  }
  return {};
}

DeepStack deep_containing(const void *address) {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - skein_deep_begin;
  if (offset >= skein_deep_bytes)
    return {};
  return deep_at(static_cast<uint32_t>(offset / deep_stride));
}

static void *deep_acquire() {
  Guard guard(lock);
  if (deep_free_count)
    return deep_at(deep_free[--deep_free_count]).high;
  if (deep_next == deep_count)
    fatal("%u threads wait in callbacks from foreign code, each with a deep stack of its own: no more are to be had",
          deep_count);
  const DeepStack deep = deep_at(deep_next);
  if (!memory_open(deep.low, static_cast<size_t>(deep.high - deep.low)))
    fatal("no memory, or no mapping (sysctl vm.max_map_count), for a deep stack of %zu KiB", deep_stride >> 10);
  deep_next++;
  return deep.high;
}

void deep_release(void *top) {
  auto *inside = static_cast<std::byte *>(top) - 1;
  Guard guard(lock);
  deep_free[deep_free_count++] = static_cast<uint32_t>(static_cast<size_t>(inside - deep_area()) / deep_stride);
}

/// From switch.S, on the worker's stack: `next` is growable and about to run, and has a deep stack of its own or the
/// worker has none.
extern "C" Thread *skein_deep_change(Processor *processor, Thread *next) {
  if (next->deep) {
    if (processor->deep_top)
      deep_release(processor->deep_top);
    processor->deep_top = next->deep;
    next->deep = nullptr;
  } else {
    processor->deep_top = deep_acquire();
  }
  return next;
}

void growable_after_fork() { new (&lock) SpinLock(Rank::stack_pool); }

GrowableCounts growable_counts() { return {in_use, in_use_most, deep_next}; }

} // namespace skein
