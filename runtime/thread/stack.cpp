// The arena of stacks; see stack.h for the picture of a slot.
//
//     arena.begin                     threads_begin                                            arena.end
//     | main slot 0 | … | main slot 63 | thread slot 64 | thread slot 65 | …                    |
//
// Where slots are unique over the nodes of a run, all main slots of all nodes come first, 64 of node 0, 64 of node 1,
// …, then the thread slots of all nodes, in equal shares.
//
// A thread slot that is free but mapped lies in the cache of a worker (no lock) or in the pool. A worker gives its
// cache back before it sleeps. One byte of status per slot says the rest. Slots never used yet are the range [next,
// limit) of the pool.
//
// A slot that is opened alone costs two mappings, its own and the guard's beside it: 3 us, slower page faults for good,
// and with the kernel's limit (vm.max_map_count) 32,000 stacks are the most. Where the kernel marks guards in page
// tables (memory_guard) slots are opened in *chunks*, and all together are one mapping.
//
// Slots around multiples of 4 GiB are left out, as long as there are others (stack_is_ambiguous).
//
// What a thread that has left leaves behind on a slot that is unique stays there, since it may come back: a thread that
// goes to and fro touches no new page. Of the last `kept_most` such slots, that is; the oldest gives its memory back
// when there are more (keep_warm).
//
// Rejected: mmap and munmap per stack (a guard and a stack are two mappings more each time, and another mapping could
// land just behind a stack, where near-miss pointers point); one mapping per size class with stacks back to back
// (no guard that moves along).
#include "thread/stack.h"

#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "os/linux/memory.h"
#include "thread/free_slots.h"
#include "thread/growable.h"
#include "thread/places.h"
#include "thread/processor.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <sys/resource.h>
#include <utility>

#ifdef SKEIN_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace skein {

Event<uint32_t> foreign_slot_released;
std::atomic<bool (*)(const Stack &stack)> stack_left_in_globals;

namespace {

constexpr uint64_t arena_bytes_max = UINT64_C(8) << 40;
constexpr uint32_t thread_slots_most = 1 << 20; // of a node
constexpr uint32_t thread_slots_least = 64;     // however little address space there is
constexpr uint64_t main_bytes_unlimited = 64 << 20;
constexpr uint64_t main_bytes_most = 1 << 30;

enum : uint8_t {
  slot_open = 1,     // mapped
  slot_used = 2,     // a thread of this process is on it
  slot_away = 4,     // ours, but its thread is on another node
  slot_left = 8,     // a global holds an address in it that none of its next threads has stored
  slot_cooling = 16, // its memory is being given back: who wants it waits
};

struct SlotClass {
  std::byte *begin = nullptr;
  uint32_t first = 0, count = 0; // slot numbers
  size_t bytes = 0;              // usable
  size_t stride = 0;

  Stack at(uint32_t slot) const {
    Stack stack;
    stack.slot_begin = begin + static_cast<size_t>(slot - first) * stride;
    stack.slot_end = stack.slot_begin + stride;
    stack.high = stack.slot_end - guard_bytes_min;
    stack.low = stack.high - bytes;
    stack.slot = slot;
    return stack;
  }
};

SlotClass mains, threads;
StackArena arena;
std::atomic<uint8_t> *status; // one per slot
constexpr uint32_t chunk_slots = 16;
static_assert(thread_slots_least % chunk_slots == 0);
std::atomic<uint8_t> *chunks;          // of thread slots: 1 once it has been opened, or cannot be. Null: there are none
SpinLock chunk_lock{Rank::stack_pool}; // whoever opens one

constexpr uint32_t rotation_least = 61;
constexpr uint32_t rotation_most = 512;

/// Retired stacks of stress, oldest first.
struct Rotation {
  uint32_t slots[rotation_most];
  uint32_t first = 0, count = 0;
};

// Under pool_lock.
SpinLock pool_lock{Rank::stack_pool};
FreeSlots pool;                 // thread slots, mapped
uint32_t pool_next, pool_limit; // thread slots of this node never used,
uint32_t pool_left_out;         // and, once there are no others, the ambiguous ones among [this, limit)
uint64_t mains_taken;           // bit per main slot of this node: used, away or in the rotation
Rotation rotation_mains, rotation_threads;

// Of this node.
uint32_t mains_first, mains_own, threads_first, threads_own;
bool unique = false; // the arena lies where it lies on all nodes, and slots are shared out
std::atomic<bool> keeping{false};

/// Slots that threads have left, with what they left there; oldest first.
constexpr uint32_t kept_most = 1024;
constexpr size_t kept_of_main = 256 << 10; // bytes of a main slot that are kept, at its top
SpinLock kept_lock{Rank::stack_pool};
uint32_t kept[kept_most];
uint32_t kept_oldest, kept_count;
std::atomic<uint8_t> *is_kept; // one per slot: it is among these

/// Free, mapped thread slots of one worker.
constexpr uint32_t cache_most = 32;
struct Cache {
  uint32_t count;
  uint32_t slots[cache_most];
};
__thread Cache cache;

const SlotClass &class_of(uint32_t slot) { return slot < mains.count ? mains : threads; }
Stack stack_at(uint32_t slot) { return class_of(slot).at(slot); }
bool owned(uint32_t slot) { return slot - threads_first < threads_own || slot - mains_first < mains_own; }

size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

bool is_open(uint32_t slot) { return status[slot].load(std::memory_order_relaxed) & slot_open; }

/// Of a slot that the caller has, on a node of which no thread is away on it: nobody else changes it meanwhile.
void change_status(uint32_t slot, uint8_t set, uint8_t clear) {
  const uint8_t before = status[slot].load(std::memory_order_relaxed);
  status[slot].store(static_cast<uint8_t>((before | set) & ~clear), std::memory_order_relaxed);
}

bool ambiguous(uint32_t slot) { return stack_is_ambiguous(stack_at(slot)); }

/// Under chunk_lock. When a part is made accessible its guards are there.
bool open_slots(uint32_t first, uint32_t last) {
  std::byte *const begin = threads.at(first).slot_begin, *const end = threads.at(last).slot_end, *guard = begin;
  for (uint32_t one = first; one <= last; one++) {
    const Stack stack = threads.at(one);
    if (!memory_guard(guard, static_cast<size_t>(stack.low - guard)))
      return false;
    guard = stack.high;
  }
  if (!memory_guard(guard, static_cast<size_t>(end - guard)) || !memory_open(begin, static_cast<size_t>(end - begin)))
    return false;
  for (uint32_t one = first; one <= last; one++)
    status[one].fetch_or(slot_open, std::memory_order_relaxed);
  return true;
}

/// Open the slots around this one, too. False: it is to be opened alone. Nobody opens one of a chunk alone before the
/// chunk is done with: he might have closed it again (stack_retire) when all are said to be open.
bool open_chunk(uint32_t slot) {
  if (!chunks || slot < mains.count)
    return false;
  const uint32_t chunk = (slot - threads.first) / chunk_slots, first = threads.first + chunk * chunk_slots;
  if (chunks[chunk].load(std::memory_order_acquire)) // pairs with the release below: of all that was done before
    return false;
  Guard guard(chunk_lock);
  if (chunks[chunk].load(std::memory_order_relaxed))
    return is_open(slot);
  const bool opened = open_slots(first, first + chunk_slots - 1);
  chunks[chunk].store(1, std::memory_order_release);
  return opened;
}

/// Make sure the slot is mapped.
bool open_slot(uint32_t slot) {
  if (is_open(slot) || open_chunk(slot))
    return true;
  Stack stack = stack_at(slot);
  if (!memory_open(stack.low, stack.bytes()))
    return false;
  status[slot].fetch_or(slot_open, std::memory_order_relaxed);
  return true;
}

void close_slot(uint32_t slot) {
  Stack stack = stack_at(slot);
  if (!memory_close(stack.low, stack.bytes()))
    fatal("stack slot %u could not be made inaccessible: out of mappings (sysctl vm.max_map_count)", slot);
  status[slot].fetch_and(static_cast<uint8_t>(~slot_open), std::memory_order_relaxed);
}

/// A slot that a thread is about to use. What lies on it is of no account.
Stack taken(uint32_t slot) {
  Stack stack = stack_at(slot);
  change_status(slot, slot_used, slot_left);
#ifdef SKEIN_ASAN
  __asan_unpoison_memory_region(stack.low, stack.bytes());
#endif
  return stack;
}

/// Under pool_lock: a thread slot that has never been used. no_slot: none.
uint32_t never_used() {
  while (pool_next < pool_limit && ambiguous(pool_next))
    pool_next++;
  if (pool_next < pool_limit)
    return pool_next++;
  while (pool_left_out < pool_limit && !ambiguous(pool_left_out))
    pool_left_out++;
  return pool_left_out < pool_limit ? pool_left_out++ : no_slot;
}

/// A thread slot that is free, in the order: cache, pool, never used, set aside. no_slot: none.
uint32_t thread_slot_take() {
  if (cache.count)
    return cache.slots[--cache.count];
  const uint32_t fill = skein_processor ? cache_most / 2 : 1; // only workers empty their caches before they sleep
  Guard guard(pool_lock);
  if (!pool.free_count) {
    const uint32_t fresh = never_used();
    return fresh == no_slot && pool.aside_count ? pool.take_aside() : fresh;
  }
  while (pool.free_count && cache.count < fill)
    cache.slots[cache.count++] = pool.take();
  return cache.slots[--cache.count];
}

void cache_spill(uint32_t keep) {
  if (cache.count <= keep)
    return;
  Guard guard(pool_lock);
  while (cache.count > keep)
    pool.give(cache.slots[--cache.count]);
}

void thread_slot_give(uint32_t slot) {
  if (cache.count == cache_most)
    cache_spill(cache_most / 2);
  cache.slots[cache.count++] = slot;
  if (!skein_processor)
    cache_spill(0);
}

/// Instead of `closed`, which is free but cannot be mapped now, one that is mapped. no_slot: none; `closed` is free
/// again.
uint32_t thread_slot_exchange(uint32_t closed) {
  for (uint32_t i = 0; i < cache.count; i++)
    if (is_open(cache.slots[i])) {
      std::swap(closed, cache.slots[i]);
      return closed;
    }
  Guard guard(pool_lock);
  for (uint32_t i = pool.free_count; i-- > 0;)
    if (is_open(pool.slots[i])) {
      std::swap(closed, pool.slots[i]);
      return closed;
    }
  pool.give(closed);
  return no_slot;
}

/// The main slot to use next: one that is mapped already, if any; an ambiguous one, or one with an address in a global,
/// only if there is no other.
uint32_t main_slot_take() {
  Guard guard(pool_lock);
  uint32_t found = no_slot;
  int found_rank = -1;
  for (uint32_t one = 0; one < mains_own; one++) {
    if (mains_taken >> one & 1)
      continue;
    const uint32_t slot = mains_first + one;
    const bool left = status[slot].load(std::memory_order_relaxed) & slot_left;
    const int rank = left ? 0 : ambiguous(slot) ? 1 : is_open(slot) ? 3 : 2;
    if (rank > found_rank) {
      found = slot;
      found_rank = rank;
    }
    if (rank == 3)
      break;
  }
  if (found != no_slot)
    mains_taken |= UINT64_C(1) << (found - mains_first);
  return found;
}

void main_slot_give(uint32_t slot) {
  Guard guard(pool_lock);
  mains_taken &= ~(UINT64_C(1) << (slot - mains_first));
}

bool left_in_globals(const Stack &stack) {
  const auto ask = stack_left_in_globals.load(std::memory_order_acquire); // pairs with the release in leftovers_start
  return ask && ask(stack);
}

constexpr uint32_t aside_warm = 256; // more of those set aside do not keep their pages

/// A slot is set aside, and another one looked at again: so what a thread's end costs does not depend on their number.
[[gnu::cold]] void thread_slot_set_aside(uint32_t slot) {
  pool_lock.lock();
  const bool many = pool.aside_count >= aside_warm;
  pool_lock.unlock();
  if (many && is_open(slot)) {
    const Stack stack = stack_at(slot);
    memory_discard(stack.low, stack.bytes());
  }
  uint32_t again = no_slot;
  {
    Guard guard(pool_lock);
    if (pool.aside_count)
      again = pool.take_aside();
    pool.set_aside(slot);
  }
  if (again == no_slot)
    return;
  if (left_in_globals(stack_at(again))) {
    Guard guard(pool_lock);
    pool.set_aside(again);
  } else {
    change_status(again, 0, slot_left);
    thread_slot_give(again);
  }
}

void slot_give(uint32_t slot) {
  if (slot < mains.count)
    main_slot_give(slot);
  else if (status[slot].load(std::memory_order_relaxed) & slot_left)
    thread_slot_set_aside(slot);
  else
    thread_slot_give(slot);
}

size_t arena_bytes() { return mains.stride * mains.count + threads.stride * threads.count; }

/// Fewer slots for each of `nodes`, so that they fit into `most` bytes, the main slots into half of it.
void fit_arena(uint64_t most, uint32_t nodes) {
  while (mains.count > nodes && mains.stride * mains.count > most / 2)
    mains.count /= 2;
  while (threads.count > thread_slots_least * nodes && arena_bytes() > most)
    threads.count = threads.count / nodes / 2 / chunk_slots * chunk_slots * nodes;
}

/// As many slots as there is address space for; under valgrind, say, there is less than we would like. Null: not even
/// for a few.
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

/// Give the memory of a slot back that a thread has left, unless one is on it again.
void cool(uint32_t slot) {
  uint8_t before = status[slot].load(std::memory_order_relaxed);
  do {
    if ((before & slot_used) || (owned(slot) && !(before & slot_away)))
      return;
  } while (!status[slot].compare_exchange_weak(before, before | slot_cooling, std::memory_order_acquire));
  const Stack stack = stack_at(slot);
  memory_discard(stack.low, stack.bytes());
  if (!chunks && !owned(slot))
    close_slot(slot); // it has a mapping of its own, and they are few
  status[slot].fetch_and(static_cast<uint8_t>(~slot_cooling), std::memory_order_release);
}

/// After a thread has left a slot.
void keep_warm(uint32_t slot) {
  if (is_kept[slot].load(std::memory_order_relaxed))
    return;
  uint32_t oldest = no_slot;
  {
    Guard guard(kept_lock);
    if (is_kept[slot].exchange(1, std::memory_order_relaxed))
      return;
    if (kept_count == kept_most) {
      oldest = kept[kept_oldest];
      kept_oldest = (kept_oldest + 1) % kept_most;
      kept_count--;
      is_kept[oldest].store(0, std::memory_order_relaxed);
    }
    kept[(kept_oldest + kept_count++) % kept_most] = slot;
  }
  if (oldest != no_slot)
    cool(oldest);
}

/// The slot belongs to its thread, which is somewhere else from here on.
void leave(const Stack &stack, bool close) {
  const uint32_t slot = stack.slot;
  SKEIN_ASSERT(status[slot].load(std::memory_order_relaxed) & slot_used, "stack slot %u is left twice", slot);
  if (slot < mains.count && stack.bytes() > kept_of_main)
    memory_discard(stack.low, stack.bytes() - kept_of_main);
  if (close && memory_close(stack.low, stack.bytes()))
    status[slot].fetch_and(static_cast<uint8_t>(~slot_open), std::memory_order_relaxed);
  if (owned(slot))
    status[slot].fetch_or(slot_away, std::memory_order_relaxed);
  status[slot].fetch_and(static_cast<uint8_t>(~slot_used), std::memory_order_release);
  keep_warm(slot);
}

} // namespace

void stacks_start() {
  SKEIN_ASSERT(!status, "stacks_start was called twice");
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  uint64_t main_bytes = knobs.stack_max                   ? knobs.stack_max
                        : limit.rlim_cur == RLIM_INFINITY ? main_bytes_unlimited
                                                          : limit.rlim_cur;
  if (main_bytes > main_bytes_most)
    main_bytes = main_bytes_most;
  const size_t page = page_bytes();
  threads.bytes = round_up(knobs.stack, page);
  threads.stride = round_up(threads.bytes + 2 * guard_bytes_min, slot_alignment);
  mains.bytes = round_up(main_bytes > threads.bytes ? main_bytes : threads.bytes, page);
  mains.stride = round_up(mains.bytes + 2 * guard_bytes_min, slot_alignment);
  const auto nodes = static_cast<uint32_t>(node.count);
  const auto size_for = [&](uint32_t count) {
    mains.first = 0;
    mains.count = threads.first = main_slots * count;
    threads.count = thread_slots_most * count;
    fit_arena(arena_bytes_max, count);
  };

  // Slots that are unique lie at one place on all nodes, which the run has chosen.
  const bool must = knobs.stacks == StackStrategy::reserve,
             wanted = must || (knobs.stacks == StackStrategy::auto_ && nodes > 1);
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  void *at = nullptr;
  if (wanted && (must || !limited)) {
    size_for(nodes);
    at = memory_reserve_at(reinterpret_cast<void *>(place_in_run(RunPlace::stacks, arena_bytes())), arena_bytes());
    unique = at != nullptr;
    if (!at && must)
      fatal("the address range of stacks=reserve (%zu MiB) is taken or may not be reserved; use stacks=auto",
            arena_bytes() >> 20);
  }
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
  threads.first = mains.count;
  arena.begin = reinterpret_cast<std::byte *>(round_up(reinterpret_cast<uintptr_t>(at), slot_alignment));
  arena.end = arena.begin + arena_bytes();
  mains.begin = arena.begin;
  threads.begin = arena.begin + mains.stride * mains.count;

  const uint32_t parts = unique ? nodes : 1, part = unique ? static_cast<uint32_t>(node.self) : 0;
  mains_own = mains.count / parts;
  mains_first = part * mains_own;
  threads_own = threads.count / parts;
  threads_first = threads.first + part * threads_own;
  const uint32_t slots = mains.count + threads.count;
  status = static_cast<std::atomic<uint8_t> *>(memory_allocate(round_up(slots, page)));
  is_kept = static_cast<std::atomic<uint8_t> *>(memory_allocate(round_up(slots, page)));
  pool.slots = static_cast<uint32_t *>(memory_allocate(round_up(threads_own * sizeof(uint32_t), page)));
  pool.capacity = threads_own;
  if (!status || !is_kept || !pool.slots)
    fatal("out of memory for the table of stacks");
  if (memory_guards_work())
    chunks = static_cast<std::atomic<uint8_t> *>(memory_allocate(round_up(threads.count / chunk_slots, page)));
  pool_next = pool_left_out = threads_first;
  pool_limit = pool_next + threads_own;
  keeping = unique;
}

bool stack_keeps_address(const Stack &stack) {
  return keeping.load(std::memory_order_relaxed) && (!is_growable(stack) || growable_is_unique());
}

void stacks_differ() { keeping = false; }

bool stack_is_ambiguous(const Stack &stack) {
  constexpr uint64_t around = 16 << 20;
  const uint64_t low = reinterpret_cast<uintptr_t>(stack.low), high = reinterpret_cast<uintptr_t>(stack.high);
  return (low - around) >> 32 != (high + around) >> 32;
}

size_t stack_bytes() { return threads.bytes; }
size_t stack_bytes_max() { return mains.bytes; }

int stack_slot_owner(uint32_t slot) {
  if (slot_grows(slot))
    return growable_owner(slot);
  if (!unique)
    return node.self;
  return static_cast<int>(slot < mains.count ? slot / mains_own : (slot - threads.first) / threads_own);
}

Stack stack_acquire(size_t bytes) {
  if (bytes > mains.bytes)
    return {};
  uint32_t slot = bytes <= threads.bytes ? thread_slot_take() : main_slot_take();
  if (slot == no_slot)
    return {};
  if (!open_slot(slot)) {
    if (slot < mains.count) {
      main_slot_give(slot);
      return {};
    }
    slot = thread_slot_exchange(slot);
    if (slot == no_slot)
      return {};
  }
  return taken(slot);
}

Stack stack_acquire_arriving(uint32_t slot, size_t bytes, size_t live) {
  if (!slot_grows(slot))
    return stack_acquire(bytes);
  if (Stack stack = growable_acquire(live))
    return stack;
  return stack_acquire(stack_bytes_max()); // growing is off here (knob grow)
}

Stack stack_in_slot(uint32_t slot) {
  if (slot_grows(slot))
    return growable_in_slot(slot);
  return unique && slot < mains.count + threads.count ? stack_at(slot) : Stack{};
}

Stack stack_acquire_slot(uint32_t slot) {
  if (slot_grows(slot))
    return growable_acquire_slot(slot);
  if (slot >= mains.count + threads.count)
    return {};
  const bool ours = owned(slot);
  uint8_t before = status[slot].load(std::memory_order_relaxed);
  do {
    while (before & slot_cooling) {
      __builtin_ia32_pause();
      before = status[slot].load(std::memory_order_acquire); // pairs with the release in cool()
    }
    if ((before & slot_used) || (ours && !(before & slot_away)))
      return {}; // another thread is on it, or it is one of our free ones
  } while (!status[slot].compare_exchange_weak(before, static_cast<uint8_t>((before | slot_used) & ~slot_away),
                                               std::memory_order_acquire));
  if (!open_slot(slot)) {
    status[slot].store(before, std::memory_order_relaxed);
    return {};
  }
  return taken(slot);
}

void stack_note_left(const Stack &stack) {
  if (!is_growable(stack))
    change_status(stack.slot, slot_left, 0);
}

/// Of one that does not grow.
static void release(const Stack &stack) {
  const uint32_t slot = stack.slot;
  SKEIN_ASSERT(status[slot].load(std::memory_order_relaxed) & slot_used, "stack slot %u is released twice", slot);
  if (slot < mains.count)
    memory_discard(stack.low, stack.bytes());
  if (!owned(slot)) {
    leave(stack, false);
    foreign_slot_released(slot);
    return;
  }
  change_status(slot, 0, slot_used);
  slot_give(slot);
}

void stack_release(const Stack &stack) {
  const bool left = left_in_globals(stack);
  if (is_growable(stack))
    return growable_release(stack, left);
  if (left)
    stack_note_left(stack);
  release(stack);
}

Stack stack_acquire_alone() {
  if (!cache.count || !is_open(cache.slots[cache.count - 1]))
    return {};
  return taken(cache.slots[--cache.count]);
}

bool stack_releasable_alone(const Stack &stack) {
  return stack.slot - threads_first < threads_own && !is_growable(stack) && cache.count < cache_most &&
         !stack_left_in_globals.load(std::memory_order_relaxed);
}

void stack_release_alone(const Stack &stack) {
  SKEIN_ASSERT(status[stack.slot].load(std::memory_order_relaxed) & slot_used, "stack slot %u is released twice",
               stack.slot);
  change_status(stack.slot, 0, slot_used);
  cache.slots[cache.count++] = stack.slot;
}

void stack_leave(const Stack &stack, bool close) {
  if (stack_keeps_address(stack) && is_growable(stack))
    growable_leave(stack, close);
  else if (stack_keeps_address(stack))
    leave(stack, close);
  else if (is_growable(stack))
    stack_release(stack);
  else
    release(stack);
}

void stacks_after_fork() {
  new (&pool_lock) SpinLock(Rank::stack_pool);
  new (&chunk_lock) SpinLock(Rank::stack_pool);
  new (&kept_lock) SpinLock(Rank::stack_pool);
  pool.free_count = pool.aside_count = 0; // its holder may have been in the middle of a change
  rotation_mains.count = rotation_threads.count = 0;
  growable_after_fork();
}

void stack_cache_flush() { cache_spill(0); }

bool stack_slot_returned(uint32_t slot) {
  if (slot_grows(slot))
    return growable_returned(slot);
  if (!unique || slot >= mains.count + threads.count || !owned(slot))
    return false;
  uint8_t before = status[slot].load(std::memory_order_relaxed);
  do {
    while (before & slot_cooling) {
      __builtin_ia32_pause();
      before = status[slot].load(std::memory_order_acquire); // pairs with the release in cool()
    }
    if (!(before & slot_away))
      return false;
  } while (!status[slot].compare_exchange_weak(before, static_cast<uint8_t>(before & ~slot_away),
                                               std::memory_order_acquire));
  slot_give(slot);
  return true;
}

void stack_slot_unwanted(uint32_t slot) {
  if (stack_slot_owner(slot) != node.self)
    foreign_slot_released(slot);
  else if (slot_grows(slot) ? growable_is_away(slot) : status[slot].load(std::memory_order_relaxed) & slot_away)
    stack_slot_returned(slot);
}

bool stack_in_use(const Stack &stack) {
  return is_growable(stack) ? growable_in_use(stack) : status[stack.slot].load(std::memory_order_relaxed) & slot_used;
}

Stack stack_acquire_fresh(const Stack &like) {
  if (is_growable(like))
    return growable_acquire_fresh(like);
  const size_t bytes = like.bytes();
  if (bytes > mains.bytes)
    return {};
  const bool main_sized = bytes > threads.bytes;
  Rotation &rotation = main_sized ? rotation_mains : rotation_threads;
  uint32_t slot = no_slot;
  {
    Guard guard(pool_lock);
    if (rotation.count < rotation_least && !main_sized)
      slot = never_used();
    for (uint32_t one = 0; main_sized && rotation.count < rotation_least && one < mains_own; one++)
      if (slot == no_slot && !(mains_taken >> one & 1) && !ambiguous(mains_first + one)) {
        slot = mains_first + one;
        mains_taken |= UINT64_C(1) << one;
      }
    if (slot == no_slot && rotation.count) {
      slot = rotation.slots[rotation.first];
      rotation.first = (rotation.first + 1) % rotation_most;
      rotation.count--;
    }
  }
  if (slot == no_slot)
    return {};
  if (!open_slot(slot)) {
    slot_give(slot); // closed, but open_slot is asked again by whoever takes it
    return {};
  }
  return taken(slot);
}

void stack_retire(const Stack &stack, const void *live_low) {
  const uint32_t slot = stack.slot;
  auto *from = const_cast<std::byte *>(static_cast<const std::byte *>(live_low));
  SKEIN_ASSERT(from >= stack.low && from <= stack.high, "the live part of slot %u begins outside its stack", slot);
#ifdef SKEIN_ASAN
  __asan_unpoison_memory_region(stack.low, stack.bytes());
#endif
  std::memset(from, 0xa5, static_cast<size_t>(stack.high - from)); // as a pointer: not canonical, faults
  if (is_growable(stack))
    return growable_quarantine(stack, knobs.stress_protect);
  if (knobs.stress_protect)
    close_slot(slot);
  status[slot].fetch_and(static_cast<uint8_t>(~slot_used), std::memory_order_relaxed);
  Rotation &rotation = slot < mains.count ? rotation_mains : rotation_threads;
  bool full = slot >= mains.count && (status[slot].load(std::memory_order_relaxed) & slot_left);
  if (!full) {
    Guard guard(pool_lock);
    full = rotation.count == rotation_most;
    if (!full)
      rotation.slots[(rotation.first + rotation.count++) % rotation_most] = slot;
  }
  if (full)
    slot_give(slot);
}

Stack stack_containing(const void *address) {
  auto *byte = static_cast<const std::byte *>(address);
  if (byte < arena.begin || byte >= arena.end)
    return growable_containing(address);
  const SlotClass &slots = byte < threads.begin ? mains : threads;
  return slots.at(slots.first + static_cast<uint32_t>(static_cast<size_t>(byte - slots.begin) / slots.stride));
}

StackArena stack_arena() { return arena; }

uint64_t stack_geometry() {
  if (!unique)
    return 0;
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a over the numbers that say where slot s lies
  for (uint64_t number : {static_cast<uint64_t>(reinterpret_cast<uintptr_t>(arena.begin)), uint64_t{mains.bytes},
                          uint64_t{mains.stride}, uint64_t{threads.bytes}, uint64_t{threads.stride},
                          uint64_t{threads.count}, static_cast<uint64_t>(node.count), uint64_t{growable_headroom()}})
    hash = (hash ^ number) * 0x100000001b3;
  return hash;
}

} // namespace skein
