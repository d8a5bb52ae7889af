// Growable stacks: small ones in slabs, larger ones to be relocated to, and deep ones that do not move.
//
// One reservation per process, upwards:
//
//     begin                                                                   end            deep_end
//     | class 0: 32 KiB of stack in each 64 KiB | class 1: 96 in 128 | … |     | deep | deep | …
//     |<------------- slabs: readable and writable throughout -------------->|<- opened one by one, guarded ->|
//
// A *slab* is one mapping however many stacks are in use, so a million of them need no more mappings than one. Nothing
// guards a slot but the check in each function's prologue, which compares the stack pointer with the thread's *limit*:
//
//     slot_begin     low            limit                          high        slot_end
//     |  untouched   |   headroom   |     <- stack grows           |  untouched |
//
// The *headroom* is for what runs below the limit without a check of its own: frames of leaf functions, the switch, the
// entry of the growth, and a signal's frame. The zones at both ends are never touched, so near-miss pointers move along
// (stack.h); each class doubles the one before, and slots begin at multiples of 64 KiB.
//
// A *deep stack* belongs to a worker. Foreign code runs there (arch/x86_64/deep.S), and functions whose thread needs
// room but may not move. Deep stacks lie above all slabs, so the check passes there by itself: only the stack pointer
// is compared. They are as large as a thread's stack may get, with guard zones that fault. A thread that is suspended
// while it is on one (a callback that waits) keeps it, and its worker takes another.
//
// A slot whose thread has grown is made inaccessible and used again as late as possible (`quarantine`): an address of
// the old stack that somebody kept faults, and is reported by name, instead of reading what another thread wrote.
//
// Where slots are unique over the nodes of a run (stack.h), the reservation lies at one place on all of them, and each
// class has a part for each node, of which the other nodes' are made accessible when the first thread arrives there:
//
//     | class 0: node 0 | node 1 | … | class 1: node 0 | node 1 | … |        | deep …
//
// A thread that leaves gives the memory of its slot back; the slot is its own until it ends or grows, wherever that is.
//
// Rejected: a mapping and a guard page per stack (vm.max_map_count allows 32,000); limits checked against a word in
// the thread's record (the record's address would have to be in a register; glibc keeps the word %fs:0x70 free for
// split stacks); setting the limit at each foreign call (two more stores, for what the guard zone does).
#ifndef SKEIN_THREAD_GROWABLE_H
#define SKEIN_THREAD_GROWABLE_H

#include "thread/stack.h"

#include <cstddef>
#include <cstdint>

namespace skein {

struct Processor;
struct Thread;

/// Whether a thread that begins in `function` gets a growable stack: the function was compiled for it, the knobs agree,
/// and there is address space, which is reserved when the first such thread begins.
bool growable_function(const void *function);
/// The first of these conditions.
bool growable_marked(const void *function);

/// The most that a thread may use: what main would get (knob `stack_max`).
size_t growable_bytes_max();

/// A growable stack with at least `bytes` above its limit. Empty: none left, or more than there may be.
Stack growable_acquire(size_t bytes);
/// One of the same size as `like` that was not used lately (stress).
Stack growable_acquire_fresh(const Stack &like);
/// `left_in_globals`: it is set aside (free_slots.h).
void growable_release(const Stack &stack, bool left_in_globals = false);
/// Nobody is on it any more, and old addresses may be about: contents lost, inaccessible (unless `protect` is false),
/// at the end of the queue.
void growable_quarantine(const Stack &stack, bool protect);

/// Slots are numbered like those of other stacks, from 2^31.
inline bool slot_grows(uint32_t slot) { return slot != no_slot && slot >> 31; }
inline bool is_growable(const Stack &stack) { return slot_grows(stack.slot); }
/// As of other stacks (stack.h).
bool growable_is_unique();
Stack growable_in_slot(uint32_t slot);
Stack growable_acquire_slot(uint32_t slot);
void growable_leave(const Stack &stack, bool close);
int growable_owner(uint32_t slot);
bool growable_is_away(uint32_t slot);
bool growable_in_use(const Stack &stack);
bool growable_returned(uint32_t slot);
/// What runs below the limit without a check.
size_t growable_headroom();
/// Where the check of a prologue stops a thread on this stack; 0 for a stack that does not grow.
uint64_t stack_limit(const Stack &stack);

/// The growable stack whose slot `address` lies in, or an empty one. Async-signal-safe.
Stack growable_containing(const void *address);

/// The deep stack that `address` lies in, guard zones included; `low` is null if it is none. Async-signal-safe.
struct DeepStack {
  std::byte *low = nullptr, *high = nullptr;
};
DeepStack deep_containing(const void *address);

/// What lies at the top of a deep stack in use (arch/x86_64/deep.S): who was called there, and where the caller is.
struct DeepEntry {
  uint64_t caller_frame; // on the thread's own stack: saved rbp, return address
  uint64_t target;       // the foreign function, or the place after the check in a function that had no room
};
inline const DeepEntry &deep_entry(const DeepStack &deep) {
  return *reinterpret_cast<const DeepEntry *>(deep.high - sizeof(DeepEntry));
}

/// A deep stack by its top, given back.
void deep_release(void *top);
/// The child of a fork: locks are free again.
void growable_after_fork();

/// Counted for `grow_report`.
struct GrowableCounts {
  uint64_t slots_in_use, slots_most, deep_open;
};
GrowableCounts growable_counts();

} // namespace skein

#endif
