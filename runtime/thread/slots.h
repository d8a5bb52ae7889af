// Slots of stacks: which ones there are, which are mapped, and which are free. stack.h has the picture of one.
//
//     mains.begin                threads.begin                             elsewhere: growing.begin
//     | main slot 0 | 1 | …      | thread slot | thread slot | …           | slot that grows | slot that grows | …
//
// Three *classes* of equal slots. Where slots are unique over the nodes of a run, each class has as many for each
// node, those of node 0 first; else all are this node's.
//
//     mains     large ones, guarded by inaccessible memory; 64 for each node
//     threads   small ones, likewise
//     growing   large ones, guarded by the checks in prologues (growable.h); laid out when the first is wanted
//
// A slot that is free but mapped lies in the cache of a worker (no lock) or in the pool of its class. A worker gives
// its caches back before it sleeps. One byte of status per slot says the rest. Slots never used yet are the range
// [next, limit) of the class.
//
// A guarded slot that is opened alone costs two mappings, its own and the guard's beside it: 3 us, slower page faults
// for good, and with the kernel's limit (vm.max_map_count) 32,000 stacks are the most. Where the kernel marks guards in
// page tables (memory_guard) slots are opened in *chunks*, and all together are one mapping. So are all slots that
// grow, on any kernel: a node's part of them is opened as a whole.
//
// Slots around multiples of 4 GiB are left out, as long as there are others (stack_is_ambiguous).
//
// Rejected: mmap and munmap per stack (a guard and a stack are two mappings more each time, and another mapping could
// land just behind a stack, where near-miss pointers point); one mapping per size class with stacks back to back
// (no guard that moves along).
#ifndef SKEIN_THREAD_SLOTS_H
#define SKEIN_THREAD_SLOTS_H

#include "base/lock.h"
#include "thread/free_slots.h"
#include "thread/stack.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

/// The status of a slot consists of these bits.
enum : uint8_t {
  slot_open = 1,     // mapped
  slot_used = 2,     // a thread of this process is on it
  slot_away = 4,     // ours, but its thread is on another node
  slot_left = 8,     // a global holds an address in it that none of its next threads has stored
  slot_cooling = 16, // its memory is being given back, and threads that want it wait
  slot_closed = 64,  // it has been opened, and made inaccessible again
  slot_deep = 32,    // for one that grows: more than kept_of_free bytes of it may have been touched
};

/// Bytes at the top of a large slot that keep their memory when its thread has left, and when it has ended.
inline constexpr size_t kept_of_left = 256 << 10;
inline constexpr size_t kept_of_free = 64 << 10;

/// Retired stacks of the stress mode, oldest first.
constexpr uint32_t rotation_least = 61;
constexpr uint32_t rotation_most = 512;
struct Rotation {
  uint32_t slots[rotation_most] = {};
  uint32_t first = 0, count = 0;
};

inline constexpr uint32_t thread_slots_least = 64; // for one node, however little address space there is

enum class Guards : uint8_t { memory, prologues };

class SlotClass {
public:
  std::byte *begin = nullptr;
  uint32_t first = 0, count = 0;         // slot numbers
  uint32_t own_first = 0, own_count = 0; // those of this node
  size_t bytes = 0;                      // usable
  size_t stride = 0;
  bool unique = false; // a slot has one owner in the run, wherever its thread is
  bool shared = false; // and all nodes have its memory (stacks=shared)
  const Guards guards;
  const unsigned cache; // which of a kernel thread's caches has slots of this class; no_cache: none

  static constexpr unsigned cache_of_threads = 0, cache_of_growing = 1, no_cache = 2;

  constexpr SlotClass(Guards guards, unsigned cache) : guards(guards), cache(cache) {}

  Stack at(uint32_t slot) const {
    Stack stack;
    stack.slot_begin = begin + static_cast<size_t>(slot - first) * stride;
    stack.slot_end = stack.slot_begin + stride;
    stack.high = stack.slot_end - guard_bytes_min;
    stack.low = stack.high - bytes;
    stack.slot = slot;
    return stack;
  }
  bool has(uint32_t slot) const { return slot - first < count; }
  bool contains(const std::byte *byte) const { return byte >= begin && byte < begin + address_bytes(); }
  bool owned(uint32_t slot) const { return slot - own_first < own_count; }
  size_t address_bytes() const { return stride * count; }
  /// The node that the slot belongs to: this one if slots are not unique.
  int owner(uint32_t slot) const;
  std::atomic<uint8_t> &status(uint32_t slot) { return statuses[status_place(slot - first)]; }
  bool is_open(uint32_t slot) { return status(slot).load(std::memory_order_relaxed) & slot_open; }

  /// Sets the usable bytes of a stack, and what follows from them.
  void set_size(size_t usable);
  /// Places the class at `at`. With `over_nodes` it lies there, with the same numbers, in all processes of the run,
  /// which share it; otherwise all of it is this node's. False: no memory for the tables.
  bool lay_out(std::byte *at, uint32_t first_slot, uint32_t nodes, bool over_nodes);

  /// Takes a free slot, in this order: from the cache, the pool, those never used, those set aside. no_slot: none.
  uint32_t take();
  /// Takes a slot that is mapped instead of `closed`, which is free but cannot be mapped now. no_slot: none; `closed`
  /// is free again.
  uint32_t exchange(uint32_t closed);
  void give(uint32_t slot);

  /// Which slots are opened together with this one; no_neighbours: it is opened alone, or all are.
  uint32_t chunk_of(uint32_t slot) const;
  /// Makes sure that the slot is mapped.
  bool open(uint32_t slot);
  /// Changes the status of a slot that the caller has, on a node of which no thread is away on it: no other thread
  /// changes it meanwhile.
  void change_status(uint32_t slot, uint8_t set, uint8_t clear);
  /// Makes the slot inaccessible until it is opened again. False: no mapping for that.
  bool close(uint32_t slot);
  /// A slot that a thread is about to use. What lies on it does not matter.
  Stack taken(uint32_t slot);
  /// The slot's thread is over, or elsewhere on memory of its own: all but `keep` bytes at its top give their memory
  /// back.
  void discard(uint32_t slot, size_t keep);
  /// The slot belongs to its thread, which is on another node from here on.
  void leave(uint32_t slot, bool closed);
  /// Takes the slot for the thread that brings it along. False: another thread is on it, it is one of this node's free
  /// ones, or there is no memory.
  bool enter(uint32_t slot);
  /// The slot's thread, which left this node with it, is over. False: it had not left.
  bool returned(uint32_t slot);

  /// For the stress mode: a slot that was not used lately, mapped; no_slot: none.
  uint32_t take_fresh();
  /// For the stress mode: makes the slot be used again as late as possible.
  void retire(uint32_t slot);

  /// Gives this kernel thread's cache to the pool.
  void flush();
  /// For slots that threads have left with what they left there: see slots.cpp.
  bool cools(uint32_t slot);
  void cooled(uint32_t slot);
  /// The number of slots of this node that were ever used.
  uint32_t ever_used() const { return next - own_first; }
  void after_fork();

private:
  bool ambiguous(uint32_t slot) const { return stack_is_ambiguous(at(slot)); }
  uint32_t never_used();
  void set_aside(uint32_t slot);
  bool open_chunk(uint32_t slot);
  bool open_slots(uint32_t first, uint32_t last);
  bool open_part(uint32_t slot);
  void keep_warm(uint32_t slot);

  /// Workers use slots near one another, so the statuses of those lie in different cache lines: 64 slots in a row have
  /// one line each, which only those 64 further on share.
  static constexpr uint32_t status_block = 64 * 64; // slots whose statuses lie together
  static uint32_t status_place(uint32_t n) { return n / status_block * status_block + n % 64 * 64 + n / 64 % 64; }

  std::atomic<uint8_t> *statuses = nullptr; // one per slot, see status_place
  std::atomic<uint8_t> *is_kept = nullptr;  // one per slot: its last thread has left, and what it left is still there
  std::atomic<uint8_t> *chunks = nullptr;   // 1 once it has been opened, or cannot be. Null: there are none
  std::atomic<uint8_t> *parts = nullptr;    // of slots guarded by prologues, one per node: 1 once it has been opened
  // Under pool_lock.
  FreeSlots pool;
  uint32_t next = 0, limit = 0; // slots of this node never used,
  uint32_t left_out = 0;        // and, once there are no others, the ambiguous ones among [this, limit)
  Rotation rotation;
};

/// Slots that grow are numbered from here on.
inline constexpr uint32_t growing_first = UINT32_C(1) << 31;

extern SlotClass mains, threads, growing;
inline SlotClass &class_of(uint32_t slot) {
  return slot >= growing_first ? growing : slot < mains.count ? mains : threads;
}
/// Whether there is such a slot.
inline bool is_slot(uint32_t slot) { return slot != no_slot && class_of(slot).has(slot); }

/// Whether the thread slot that this kernel thread would take next is at hand and mapped; and a function that takes it.
bool thread_slot_at_hand();
uint32_t thread_slot_take();
/// Whether there is room for a thread slot in the cache; and a function that puts one there that is mapped.
bool thread_slot_has_room();
void thread_slot_give(uint32_t slot);
/// Gives this kernel thread's caches to the pools.
void slot_caches_flush();
void slots_after_fork();

/// Whether the program's globals hold an address in that stack (stack_left_in_globals).
bool slot_left_in_globals(const Stack &stack);

} // namespace skein

#endif
