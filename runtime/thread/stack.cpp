// The arena of stacks of fixed size, laid out when the process starts, and what is done with whole stacks; slots.h has
// their classes and what is free.
#include "thread/stack.h"

#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "os/linux/memory.h"
#include "thread/deep.h"
#include "thread/growable.h"
#include "thread/places.h"
#include "thread/processor.h"
#include "thread/slots.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#ifdef SKEIN_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace skein {

Event<uint32_t> foreign_slot_released;
std::atomic<bool (*)(const Stack &stack)> stack_left_in_globals;

namespace {

constexpr uint64_t arena_bytes_max = UINT64_C(8) << 40;
constexpr uint32_t thread_slots_most = 1 << 20; // for one node
constexpr uint64_t main_bytes_unlimited = 64 << 20;
constexpr uint64_t main_bytes_most = 1 << 30;

StackArena arena;
std::atomic<bool> keeping{false}; // threads on unique slots keep their addresses

size_t arena_bytes() { return mains.address_bytes() + threads.address_bytes(); }

/// Reduces the slots for each of `nodes`, so that they fit into `most` bytes, and the main slots into half of it.
void fit_arena(uint64_t most, uint32_t nodes) {
  while (mains.count > nodes && mains.stride * mains.count > most / 2)
    mains.count /= 2;
  while (threads.count > thread_slots_least * nodes && arena_bytes() > most)
    threads.count = threads.count / nodes / 2 / thread_slots_least * thread_slots_least * nodes;
}

/// Reserves as many slots as there is address space for; under valgrind, for example, there is less than we would like.
/// Null: not even enough for a few.
void *reserve_anywhere() {
  for (;;) {
    size_t bytes = arena_bytes();
    // Slots begin at multiples of 64 KiB, so reserve that much more than is needed.
    if (void *at = memory_reserve(bytes + slot_alignment))
      return at;
    fit_arena(bytes / 2, 1);
    if (arena_bytes() == bytes)
      return nullptr;
  }
}

} // namespace

void stacks_start() {
  SKEIN_ASSERT(!arena.begin, "stacks_start was called twice");
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  uint64_t main_bytes = knobs.stack_max                   ? knobs.stack_max
                        : limit.rlim_cur == RLIM_INFINITY ? main_bytes_unlimited
                                                          : limit.rlim_cur;
  if (main_bytes > main_bytes_most)
    main_bytes = main_bytes_most;
  threads.set_size(knobs.stack);
  mains.set_size(main_bytes > threads.bytes ? main_bytes : threads.bytes);
  const auto nodes = static_cast<uint32_t>(node.count);
  const auto size_for = [&](uint32_t count) {
    mains.count = main_slots * count;
    threads.count = thread_slots_most * count;
    fit_arena(arena_bytes_max, count);
  };

  // Slots that are unique lie at one place on all nodes, which the run has chosen.
  const bool share = knobs.stacks == StackStrategy::shared && nodes > 1;
  const bool must = knobs.stacks == StackStrategy::reserve || share,
             wanted = must || (knobs.stacks == StackStrategy::auto_ && nodes > 1);
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  bool unique = false;
  void *at = nullptr;
  if (wanted && (must || !limited)) {
    size_for(nodes);
    at = memory_reserve_at(reinterpret_cast<void *>(place_in_run(RunPlace::stacks, arena_bytes())), arena_bytes());
    unique = at != nullptr;
    if (!at && must)
      fatal("the address range of stacks=%s (%zu MiB) is taken or may not be reserved; use stacks=auto",
            share ? "shared" : "reserve", arena_bytes() >> 20);
    if (share && (node.stacks < 0 || !memory_share_at(at, arena_bytes(), node.stacks)))
      fatal("the memory for stacks=shared (%zu MiB of address space) cannot be mapped (errno %d); use stacks=auto",
            arena_bytes() >> 20, node.stacks < 0 ? ENOENT : errno);
  }
  if (node.stacks >= 0)
    close(std::exchange(node.stacks, -1));
  if (!at) {
    size_for(1);
    if (limited) // leave the program most of what it may have
      fit_arena(limit.rlim_cur / 4, 1);
    if (nodes > 1 && !limited) // not where the other nodes have theirs, though they are forked from one process
      at = memory_reserve_at(reinterpret_cast<void *>(place_in_run(RunPlace::stacks_of_node, arena_bytes())),
                             arena_bytes());
    if (!at)
      at = reserve_anywhere();
  }
  if (!at)
    fatal(
        "%zu MiB of address space for stacks are not to be had: raise ulimit -v, or set smaller stack_max= and stack=",
        arena_bytes() >> 20);
  arena.begin = reinterpret_cast<std::byte *>(round_up(reinterpret_cast<uintptr_t>(at), slot_alignment));
  arena.end = arena.begin + arena_bytes();
  if (!mains.lay_out(arena.begin, 0, nodes, unique) ||
      !threads.lay_out(arena.begin + mains.address_bytes(), mains.count, nodes, unique))
    fatal("out of memory for the table of stacks");
  keeping = unique;
  mains.shared = threads.shared = share;
}

bool stack_keeps_address(const Stack &stack) {
  return keeping.load(std::memory_order_relaxed) && class_of(stack.slot).unique;
}

bool stack_keeps_memory(const Stack &stack) { return class_of(stack.slot).shared && stack_keeps_address(stack); }

bool stacks_are_shared() { return threads.shared; }

void stacks_differ() { keeping = false; }

bool stack_is_ambiguous(const Stack &stack) {
  constexpr uint64_t around = 16 << 20;
  const uint64_t low = reinterpret_cast<uintptr_t>(stack.low), high = reinterpret_cast<uintptr_t>(stack.high);
  return (low - around) >> 32 != (high + around) >> 32;
}

size_t stack_bytes() { return threads.bytes; }
size_t stack_bytes_max() { return mains.bytes; }

int stack_slot_owner(uint32_t slot) { return class_of(slot).owner(slot); }

uint32_t stack_neighbourhood(const Stack &stack) {
  return stack && stack_keeps_address(stack) ? class_of(stack.slot).chunk_of(stack.slot) : no_neighbours;
}

/// A stack of this class, if it has one and there is memory for it.
static Stack acquire(SlotClass &from) {
  uint32_t slot = from.take();
  if (slot != no_slot && !from.open(slot))
    slot = from.exchange(slot);
  return slot == no_slot ? Stack{} : from.taken(slot);
}

Stack stack_acquire(size_t bytes) {
  if (bytes > mains.bytes)
    return {};
  return acquire(bytes <= threads.bytes ? threads : mains);
}

Stack stack_acquire_growing() { return growing_is_there() ? acquire(growing) : Stack{}; }

Stack stack_acquire_arriving(uint32_t slot, size_t bytes) {
  if (!slot_grows(slot))
    return stack_acquire(bytes);
  if (Stack stack = stack_acquire_growing())
    return stack;
  return stack_acquire(stack_bytes_max()); // stacks do not grow here (knob grow)
}

Stack stack_in_slot(uint32_t slot) {
  if (slot_grows(slot) && !growing_is_there())
    return {};
  return is_slot(slot) && class_of(slot).unique ? class_of(slot).at(slot) : Stack{};
}

Stack stack_acquire_slot(uint32_t slot) {
  return stack_in_slot(slot) && class_of(slot).enter(slot) ? class_of(slot).taken(slot) : Stack{};
}

void stack_note_left(const Stack &stack) { class_of(stack.slot).change_status(stack.slot, slot_left, 0); }

bool slot_left_in_globals(const Stack &stack) {
  const auto ask = stack_left_in_globals.load(std::memory_order_acquire); // pairs with the release in leftovers_start
  return ask && ask(stack);
}

static void release_stack(const Stack &stack) {
  const uint32_t slot = stack.slot;
  SlotClass &its = class_of(slot);
  SKEIN_ASSERT(its.status(slot).load(std::memory_order_relaxed) & slot_used, "stack slot %u is released twice", slot);
  if (!its.owned(slot)) {
    its.leave(slot, false);
    foreign_slot_released(slot);
    return;
  }
  if (&its != &threads)
    its.discard(slot, slot_grows(slot) ? kept_of_free : 0);
  its.change_status(slot, 0, slot_used | slot_deep);
  its.give(slot);
}

void stack_release(const Stack &stack) {
  if (slot_left_in_globals(stack))
    stack_note_left(stack);
  release_stack(stack);
}

[[gnu::always_inline]] bool stack_at_hand() { return thread_slot_at_hand(); }

[[gnu::always_inline]] Stack stack_acquire_quickly() { return threads.taken(thread_slot_take()); }

/// Whether the stack can be one of those that this kernel thread has at hand.
static bool has_place_at_hand(const Stack &stack) { return threads.owned(stack.slot) && thread_slot_has_room(); }

[[gnu::always_inline]] bool stack_releasable_quickly(const Stack &stack) {
  return has_place_at_hand(stack) && !stack_left_in_globals.load(std::memory_order_relaxed);
}

[[gnu::always_inline]] void stack_release_quickly(const Stack &stack) {
  SKEIN_ASSERT(threads.status(stack.slot).load(std::memory_order_relaxed) & slot_used,
               "stack slot %u is released twice", stack.slot);
  threads.change_status(stack.slot, 0, slot_used);
  thread_slot_give(stack.slot);
}

void stack_leave(const Stack &stack, bool close) {
  if (stack_keeps_address(stack))
    class_of(stack.slot).leave(stack.slot, close);
  else
    stack_vacate(stack);
}

void stack_vacate(const Stack &stack) {
  if (stack.bytes() > stack_bytes())
    stack_release(stack);
  // What could lead into it was searched when the thread left (check_globals, check_thread_locals), and noted.
  else if (skein_processor && has_place_at_hand(stack) &&
           !(threads.status(stack.slot).load(std::memory_order_relaxed) & slot_left))
    stack_release_quickly(stack);
  else
    release_stack(stack);
}

void stacks_after_fork() {
  slots_after_fork();
  deep_after_fork();
}

void stack_cache_flush() { slot_caches_flush(); }

bool stack_slot_returned(uint32_t slot) { return stack_in_slot(slot) && class_of(slot).returned(slot); }

void stack_slot_unwanted(uint32_t slot) {
  if (stack_slot_owner(slot) != node.self)
    foreign_slot_released(slot);
  else
    stack_slot_returned(slot);
}

bool stack_in_use(const Stack &stack) {
  return class_of(stack.slot).status(stack.slot).load(std::memory_order_relaxed) & slot_used;
}

Stack stack_acquire_fresh(const Stack &like) {
  SlotClass &its = class_of(like.slot);
  const uint32_t slot = its.take_fresh();
  return slot == no_slot ? Stack{} : its.taken(slot);
}

void stack_retire(const Stack &stack, const void *live_low) {
  const uint32_t slot = stack.slot;
  auto *from = const_cast<std::byte *>(static_cast<const std::byte *>(live_low));
  SKEIN_ASSERT(from >= stack.low && from <= stack.high, "the live part of slot %u begins outside its stack", slot);
#ifdef SKEIN_ASAN
  __asan_unpoison_memory_region(stack.low, stack.bytes());
#endif
  std::memset(from, 0xa5, static_cast<size_t>(stack.high - from)); // as a pointer: not canonical, faults
  SlotClass &its = class_of(slot);
  if (knobs.stress_protect && !its.close(slot))
    fatal("stack slot %u could not be made inaccessible: out of mappings (sysctl vm.max_map_count)", slot);
  its.status(slot).fetch_and(static_cast<uint8_t>(~slot_used), std::memory_order_relaxed);
  its.retire(slot);
}

Stack stack_containing(const void *address) {
  auto *byte = static_cast<const std::byte *>(address);
  for (const SlotClass *one : {&mains, &threads, &growing})
    if (one->contains(byte))
      return one->at(one->first + static_cast<uint32_t>(static_cast<size_t>(byte - one->begin) / one->stride));
  return {};
}

StackArena stack_arena() { return arena; }

uint64_t stack_geometry() {
  if (!threads.unique)
    return 0;
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a over the numbers that say where slot s lies
  for (uint64_t number :
       {static_cast<uint64_t>(reinterpret_cast<uintptr_t>(arena.begin)), uint64_t{mains.bytes}, uint64_t{mains.stride},
        uint64_t{threads.bytes}, uint64_t{threads.stride}, uint64_t{threads.count}, static_cast<uint64_t>(node.count),
        uint64_t{growable_headroom()}, uint64_t{threads.shared}})
    hash = (hash ^ number) * 0x100000001b3;
  return hash;
}

} // namespace skein
