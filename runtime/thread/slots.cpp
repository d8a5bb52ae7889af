// See slots.h.
//
// What a thread that has left leaves behind on a unique slot stays there, since it may come back: a thread that goes to
// and fro touches no new page. That holds for the last `kept_most` such slots. When there are more, the oldest give
// their memory back, some at a time (keep_warm). Where nodes share the memory of stacks (`shared`), these are only
// entries of page tables, since the thread goes on in the same pages on another node.
#include "thread/slots.h"

#include "base/log.h"
#include "base/node.h"
#include "os/linux/memory.h"
#include "thread/processor.h"

#include <new>
#include <utility>

#ifdef SKEIN_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace skein {

SlotClass mains(Guards::memory, SlotClass::no_cache), threads(Guards::memory, SlotClass::cache_of_threads),
    growing(Guards::prologues, SlotClass::cache_of_growing);

namespace {

constexpr uint32_t chunk_slots = 16;
static_assert(thread_slots_least % chunk_slots == 0);
SpinLock chunk_lock{Rank::stack_pool}; // guards the opening of a chunk or a part
SpinLock pool_lock{Rank::stack_pool};

/// Slots that threads have left, with what they left there; oldest first.
constexpr uint32_t kept_most = 4096;
SpinLock kept_lock{Rank::stack_pool};
uint32_t kept[kept_most];
uint32_t kept_oldest, kept_count;
constexpr uint32_t cool_at_once = 32; // some 20 us

/// Free slots of one kernel thread, by class.
constexpr uint32_t cache_most = 32;
struct Cache {
  uint32_t count;
  uint32_t open; // the last ones of them, of which it is known that they are mapped
  uint32_t slots[cache_most];

  void push(uint32_t slot, bool is_open) {
    open = is_open ? open + 1 : 0;
    slots[count++] = slot;
  }
  uint32_t pop() {
    open -= open != 0;
    return slots[--count];
  }
};
__thread Cache caches[SlotClass::no_cache];

constexpr uint32_t aside_warm = 256; // more of those set aside do not keep their pages

template <class Item> Item *table(size_t count) {
  return static_cast<Item *>(memory_allocate(round_up(count * sizeof(Item), page_bytes())));
}

/// Waits until the slot's memory is no longer being given back.
uint8_t settled(std::atomic<uint8_t> &status) {
  uint8_t now = status.load(std::memory_order_relaxed);
  while (now & slot_cooling) {
    __builtin_ia32_pause();
    now = status.load(std::memory_order_acquire); // pairs with the release in cooled()
  }
  return now;
}

} // namespace

void SlotClass::set_size(size_t usable) {
  bytes = round_up(usable, page_bytes());
  stride = round_up(bytes + 2 * guard_bytes_min, slot_alignment);
}

bool SlotClass::lay_out(std::byte *at, uint32_t first_slot, uint32_t nodes, bool over_nodes) {
  begin = at;
  first = first_slot;
  unique = over_nodes;
  own_count = unique ? count / nodes : count;
  own_first = first + (unique ? static_cast<uint32_t>(node.self) * own_count : 0);
  next = left_out = own_first;
  limit = own_first + own_count;
  statuses = table<std::atomic<uint8_t>>(round_up(count, status_block));
  is_kept = table<std::atomic<uint8_t>>(count);
  pool.slots = table<uint32_t>(own_count);
  pool.capacity = own_count;
  if (guards == Guards::prologues)
    parts = table<std::atomic<uint8_t>>(nodes);
  else if (own_count % chunk_slots == 0 && cache != no_cache && memory_guards_work())
    chunks = table<std::atomic<uint8_t>>(count / chunk_slots);
  return statuses && is_kept && pool.slots && (guards == Guards::memory || parts);
}

int SlotClass::owner(uint32_t slot) const { return unique ? static_cast<int>((slot - first) / own_count) : node.self; }

// Mapping -----------------------------------------------------------------------------------------------------------

void SlotClass::change_status(uint32_t slot, uint8_t set, uint8_t clear) {
  const uint8_t before = status(slot).load(std::memory_order_relaxed);
  status(slot).store(static_cast<uint8_t>((before | set) & ~clear), std::memory_order_relaxed);
}

uint32_t SlotClass::chunk_of(uint32_t slot) const { return chunks ? (slot - first) / chunk_slots : no_neighbours; }

/// Called under chunk_lock. When a part is made accessible its guards are there.
bool SlotClass::open_slots(uint32_t from, uint32_t last) {
  SKEIN_ASSERT(last - from < chunk_slots, "slots %u to %u are no chunk", from, last);
  std::byte *const low = at(from).slot_begin, *const end = at(last).slot_end, *guard = low;
  MemoryRange ranges[chunk_slots + 1];
  size_t count = 0;
  for (uint32_t one = from; one <= last; one++) {
    const Stack stack = at(one);
    ranges[count++] = {guard, static_cast<size_t>(stack.low - guard)};
    guard = stack.high;
  }
  ranges[count++] = {guard, static_cast<size_t>(end - guard)};
  if (!memory_guard(ranges, count) || !memory_open(low, static_cast<size_t>(end - low)))
    return false;
  for (uint32_t one = from; one <= last; one++)
    status(one).fetch_or(slot_open, std::memory_order_relaxed);
  return true;
}

/// Opens the slots around this one, too. False: it is to be opened alone. No slot of a chunk is opened alone before the
/// chunk is done with: it might have been closed again (stack_retire) when all are said to be open.
bool SlotClass::open_chunk(uint32_t slot) {
  if (!chunks)
    return false;
  const uint32_t chunk = chunk_of(slot), from = first + chunk * chunk_slots;
  if (chunks[chunk].load(std::memory_order_acquire)) // pairs with the release below: of all that was done before
    return false;
  Guard guard(chunk_lock);
  if (chunks[chunk].load(std::memory_order_relaxed))
    return is_open(slot);
  const bool opened = open_slots(from, from + chunk_slots - 1);
  chunks[chunk].store(1, std::memory_order_release);
  return opened;
}

/// All slots of the node that owns this one are open, except for those that have been closed again.
bool SlotClass::open_part(uint32_t slot) {
  std::atomic<uint8_t> &part = parts[(slot - first) / own_count];
  if (part.load(std::memory_order_acquire)) // pairs with the release below
    return true;
  Guard guard(chunk_lock);
  const uint32_t from = slot - (slot - first) % own_count;
  if (!part.load(std::memory_order_relaxed)) {
    if (!memory_open(at(from).slot_begin, stride * own_count))
      return false;
    part.store(1, std::memory_order_release);
  }
  return true;
}

bool SlotClass::open(uint32_t slot) {
  if (is_open(slot) || open_chunk(slot))
    return true;
  const bool closed = status(slot).load(std::memory_order_relaxed) & slot_closed;
  const Stack stack = at(slot);
  if (parts && !closed ? !open_part(slot) : !memory_open(stack.low, stack.bytes()))
    return false;
  status(slot).fetch_or(slot_open, std::memory_order_relaxed);
  if (closed)
    status(slot).fetch_and(static_cast<uint8_t>(~slot_closed), std::memory_order_relaxed);
  return true;
}

bool SlotClass::close(uint32_t slot) {
  const Stack stack = at(slot);
  if (!memory_close(stack.low, stack.bytes()))
    return false;
  status(slot).fetch_or(slot_closed, std::memory_order_relaxed);
  status(slot).fetch_and(static_cast<uint8_t>(~slot_open), std::memory_order_relaxed);
  return true;
}

void SlotClass::discard(uint32_t slot, size_t keep) {
  if (bytes <= keep || (guards == Guards::prologues && !(status(slot).load(std::memory_order_relaxed) & slot_deep)))
    return;
  shared ? memory_discard_shared(at(slot).low, bytes - keep) : memory_discard(at(slot).low, bytes - keep);
}

Stack SlotClass::taken(uint32_t slot) {
  const Stack stack = at(slot);
  change_status(slot, slot_used, slot_left);
#ifdef SKEIN_ASAN
  __asan_unpoison_memory_region(stack.low, stack.bytes());
#endif
  return stack;
}

// Free slots --------------------------------------------------------------------------------------------------------

/// A slot of this node that has never been used, or no_slot. Called under pool_lock.
uint32_t SlotClass::never_used() {
  while (next < limit && ambiguous(next))
    next++;
  if (next < limit)
    return next++;
  while (left_out < limit && !ambiguous(left_out))
    left_out++;
  return left_out < limit ? left_out++ : no_slot;
}

uint32_t SlotClass::take() {
  if (cache != no_cache && caches[cache].count)
    return caches[cache].pop();
  // Only workers empty their caches before they sleep.
  const uint32_t fill = skein_processor && cache != no_cache ? cache_most / 2 : 1;
  Guard guard(pool_lock);
  if (!pool.free_count) {
    const uint32_t fresh = never_used();
    return fresh == no_slot && pool.aside_count ? pool.take_aside() : fresh;
  }
  const uint32_t slot = pool.take();
  for (uint32_t more = 1; more < fill && pool.free_count; more++) {
    const uint32_t next = pool.take();
    caches[cache].push(next, is_open(next));
  }
  return slot;
}

uint32_t SlotClass::exchange(uint32_t closed) {
  if (cache != no_cache)
    for (uint32_t i = 0; i < caches[cache].count; i++)
      if (is_open(caches[cache].slots[i])) {
        std::swap(closed, caches[cache].slots[i]);
        caches[cache].open = 0;
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

/// Sets a slot aside, and looks at another one again: so what a thread's end costs does not depend on their number.
[[gnu::cold]] void SlotClass::set_aside(uint32_t slot) {
  uint32_t again = no_slot;
  pool_lock.lock();
  const bool many = pool.aside_count >= aside_warm;
  if (pool.aside_count)
    again = pool.take_aside();
  pool_lock.unlock();
  if (many && is_open(slot))
    discard(slot, 0);
  const bool free = again != no_slot && !slot_left_in_globals(at(again));
  {
    Guard guard(pool_lock);
    pool.set_aside(slot);
    if (again != no_slot && !free)
      pool.set_aside(again);
  }
  if (free) {
    change_status(again, 0, slot_left);
    give(again);
  }
}

void SlotClass::give(uint32_t slot) {
  if (status(slot).load(std::memory_order_relaxed) & slot_left)
    return set_aside(slot);
  if (cache == no_cache || !skein_processor) {
    Guard guard(pool_lock);
    return pool.give(slot);
  }
  Cache &mine = caches[cache];
  if (mine.count == cache_most) {
    Guard guard(pool_lock);
    while (mine.count > cache_most / 2)
      pool.give(mine.pop());
  }
  mine.push(slot, is_open(slot));
}

bool thread_slot_at_hand() { return caches[SlotClass::cache_of_threads].open != 0; }
uint32_t thread_slot_take() { return caches[SlotClass::cache_of_threads].pop(); }
bool thread_slot_has_room() { return caches[SlotClass::cache_of_threads].count < cache_most; }
void thread_slot_give(uint32_t slot) { caches[SlotClass::cache_of_threads].push(slot, true); }

void SlotClass::flush() {
  if (cache == no_cache || !caches[cache].count)
    return;
  Guard guard(pool_lock);
  while (caches[cache].count)
    pool.give(caches[cache].pop());
}

void slot_caches_flush() {
  threads.flush();
  growing.flush();
}

uint32_t SlotClass::take_fresh() {
  uint32_t slot;
  {
    Guard guard(pool_lock);
    slot = rotation.count < rotation_least ? never_used() : no_slot;
    if (slot == no_slot && rotation.count) {
      slot = rotation.slots[rotation.first];
      rotation.first = (rotation.first + 1) % rotation_most;
      rotation.count--;
    }
  }
  if (slot == no_slot || open(slot))
    return slot;
  give(slot); // it is closed, but the next thread that takes it calls open() again
  return no_slot;
}

void SlotClass::retire(uint32_t slot) {
  bool full = status(slot).load(std::memory_order_relaxed) & slot_left;
  if (!full) {
    Guard guard(pool_lock);
    full = rotation.count == rotation_most;
    if (!full)
      rotation.slots[(rotation.first + rotation.count++) % rotation_most] = slot;
  }
  if (full)
    give(slot);
}

void SlotClass::after_fork() {
  pool.free_count = pool.aside_count = 0; // its holder may have been in the middle of a change
  rotation.count = 0;
}

void slots_after_fork() {
  new (&pool_lock) SpinLock(Rank::stack_pool);
  new (&chunk_lock) SpinLock(Rank::stack_pool);
  new (&kept_lock) SpinLock(Rank::stack_pool);
  for (SlotClass *one : {&mains, &threads, &growing})
    one->after_fork();
}

// Slots that leave with their threads -------------------------------------------------------------------------------

/// Whether a thread has left the slot, none is on it again, and nobody else gives its memory back, who would tell that
/// it is done too early for us. If so, threads that want it wait for cooled().
bool SlotClass::cools(uint32_t slot) {
  std::atomic<uint8_t> &now = status(slot);
  uint8_t before = now.load(std::memory_order_relaxed);
  do {
    if ((before & (slot_used | slot_cooling)) || (owned(slot) && !(before & slot_away)))
      return false;
  } while (!now.compare_exchange_weak(before, before | slot_cooling, std::memory_order_acquire));
  return true;
}

/// The slot's memory has been given back.
void SlotClass::cooled(uint32_t slot) {
  if (guards == Guards::memory && !chunks && !owned(slot))
    close(slot); // it has a mapping of its own, and they are few
  status(slot).fetch_and(static_cast<uint8_t>(~slot_cooling), std::memory_order_release);
}

/// Gives the memory of slots back that threads have left.
static void cool(const uint32_t *slots, uint32_t count) {
  MemoryRange ranges[cool_at_once];
  uint32_t cooling[cool_at_once], found = 0;
  for (uint32_t i = 0; i < count; i++)
    if (SlotClass &its = class_of(slots[i]); its.cools(slots[i])) {
      const Stack stack = its.at(slots[i]);
      ranges[found] = {stack.low, stack.bytes()};
      cooling[found++] = slots[i];
    }
  memory_discard(ranges, found);
  for (uint32_t i = 0; i < found; i++)
    class_of(cooling[i]).cooled(cooling[i]);
}

/// Called after a thread has left a slot.
void SlotClass::keep_warm(uint32_t slot) {
  std::atomic<uint8_t> &among = is_kept[slot - first];
  if (among.load(std::memory_order_relaxed))
    return;
  uint32_t oldest[cool_at_once], count = 0;
  {
    Guard guard(kept_lock);
    if (among.exchange(1, std::memory_order_relaxed))
      return;
    if (kept_count == kept_most)
      for (; count < cool_at_once; count++) {
        const uint32_t one = oldest[count] = kept[kept_oldest];
        kept_oldest = (kept_oldest + 1) % kept_most;
        kept_count--;
        SlotClass &its = class_of(one);
        its.is_kept[one - its.first].store(0, std::memory_order_relaxed);
      }
    kept[(kept_oldest + kept_count++) % kept_most] = slot;
  }
  if (count)
    cool(oldest, count);
}

void SlotClass::leave(uint32_t slot, bool closed) {
  std::atomic<uint8_t> &now = status(slot);
  SKEIN_ASSERT(now.load(std::memory_order_relaxed) & slot_used, "stack slot %u is left twice", slot);
  if (!shared) // else its thread goes on there
    discard(slot, kept_of_left);
  if (closed)
    close(slot);
  if (owned(slot))
    now.fetch_or(slot_away, std::memory_order_relaxed);
  now.fetch_and(static_cast<uint8_t>(~slot_used), std::memory_order_release);
  keep_warm(slot);
}

bool SlotClass::enter(uint32_t slot) {
  const bool ours = owned(slot);
  uint8_t before;
  do {
    before = settled(status(slot));
    if ((before & slot_used) || (ours && !(before & slot_away)))
      return false;
  } while (!status(slot).compare_exchange_weak(before, static_cast<uint8_t>((before | slot_used) & ~slot_away),
                                               std::memory_order_acquire));
  if (open(slot))
    return true;
  status(slot).store(before, std::memory_order_relaxed);
  return false;
}

bool SlotClass::returned(uint32_t slot) {
  if (!owned(slot))
    return false;
  uint8_t before;
  do {
    before = settled(status(slot));
    if (!(before & slot_away))
      return false;
  } while (!status(slot).compare_exchange_weak(before, static_cast<uint8_t>(before & ~slot_away),
                                               std::memory_order_acquire));
  give(slot);
  return true;
}

} // namespace skein
