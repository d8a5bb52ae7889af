// Stacks that grow: each is as large as main's, is never moved for that, and costs what its thread touches.
//
// Their slots (slots.h) are address space for the most that a thread may use. A page of it is memory when it is touched
// for the first time, so a stack grows by itself, and no address of it changes. One reservation per process, upwards:
//
//     begin                                                                  end            deep_end
//     | slot | slot | slot | …                                                | deep | deep | …
//     |<--------- readable and writable as a whole, one mapping ------------->|<- opened one by one, guarded ->|
//
// Nothing guards a slot but the check in each function's prologue, which compares the stack pointer with the thread's
// *limit*; so a million stacks need no more mappings than one:
//
//     slot_begin     low          end of growth     limit          high        slot_end
//     |  untouched   |  headroom  |                 | <- in use    |  untouched |
//
// A function that finds itself below the limit asks the runtime (migrate/grow.cpp), which doubles what may be used, or
// ends the program with the thread's name when that is all there is. So the limit says how deep a thread has been:
// slots that were used deeply give their memory back when their threads end, the others without a system call.
//
// The *headroom* is for what runs below the limit without a check of its own: frames of leaf functions, the switch, the
// entry of the growth, and a signal's frame. The zones at both ends are never touched, so near-miss pointers move along
// (stack.h).
//
// Foreign code, which has no checks, runs on the deep stack of the worker (deep.h).
//
// Where slots are unique over the nodes of a run, the reservation lies at one place on all of them, and each node's
// part is made accessible on another node when the first of its threads arrives there.
//
// Rejected: small stacks that are relocated to larger ones when they are full. That saves the page of the kernel's page
// tables that each stack of megabytes needs for itself (4 KiB for each thread). But an address of the stack that is
// kept where nothing searches (a large heap, a pipe, an array of doubles) is stale after a growth that the program did
// not ask for.
//
// Also rejected: a mapping and a guard page for each stack (vm.max_map_count allows 32,000); limits checked against a
// word in the thread's record (the record's address would have to be in a register; glibc keeps the word %fs:0x70 free
// for split stacks); split stacks, a piece for each function that has no room (each piece needs its limit, its
// allocation and its own overflow, and a loop at the edge of a piece calls the allocator each time).
#ifndef SKEIN_THREAD_GROWABLE_H
#define SKEIN_THREAD_GROWABLE_H

#include "thread/stack.h"

#include <cstddef>
#include <cstdint>

namespace skein {

/// Whether a thread that begins in `function` gets a stack that grows: the function was compiled for it, the knobs
/// agree, and there is address space, which is reserved when the first such thread begins.
bool growable_function(const void *function);
/// The first of these conditions.
bool growable_marked(const void *function);
/// The other conditions.
bool growing_is_there();

/// The most that a thread may use: what main would get (knob `stack_max`).
size_t growable_bytes_max();

/// Slots that grow are numbered from 2^31.
inline bool slot_grows(uint32_t slot) { return slot != no_slot && slot >> 31; }
inline bool is_growable(const Stack &stack) { return slot_grows(stack.slot); }

/// What runs below the limit without a check.
size_t growable_headroom();
/// Where the check of a prologue is to stop a thread that is on this stack and has `use` bytes in use, as far as it may
/// go without asking again; 0 for a stack that does not grow.
uint64_t stack_limit(const Stack &stack, size_t use);

/// How many slots that grow were ever used on this node.
uint32_t growable_slots_used();

} // namespace skein

#endif
