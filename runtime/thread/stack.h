// Stacks: slots of one arena that is reserved at start, inaccessible, and opened slot by slot, or some at a time.
//
//     slot_begin       low                        high        slot_end
//     |  guard, never  |  readable and writable   |  guard    |        slot_begin, slot_end: multiples of 64 KiB
//     |  accessible    |      <- stack grows      |           |        guard: at least 16 KiB on either side
//
// A moved stack's range is the whole slot, guards included: a pointer just outside an object moves along, and nothing
// else is ever mapped where it points. Every two slots are a multiple of 64 KiB apart, so moving a thread keeps the
// alignment of everything on its stack.
//
// Two sizes: *thread* slots (knob `stack`) and *main* slots (knob `stack_max`, RLIMIT_STACK by default), of which
// each node has 64, so that stress can rotate main's stack as well and a large stack can arrive from another node.
// Slot 0 is node 0's main.
//
// auto, reserve: the arena lies at one address in every process of the run; each node owns a contiguous part of the
// slots, and a thread keeps its slot wherever it goes. A slot that is released away from its owner is announced by
// `foreign_slot_released`, for the owner's `stack_slot_returned`. Under auto that is given up, on all nodes, where it
// is not to be had: another mapping is in the way, the nodes lay out stacks differently (stacks_differ). Alone, the
// arena lies where the kernel puts it.
// shared: as reserve, and the arena is one memory file, which all nodes have mapped. When a thread leaves for another
// node, its stack stays where it is, and only one of the nodes touches it at any time: the one that has the thread.
// relocate: the arena lies at an address of each node's own; slots belong to the process.
//
// Stacks that grow are a third kind, and lie elsewhere (growable.h). Functions that take a Stack take those, too.
//
// Released stacks stay mapped and are handed out again, last one first (warm). Stress needs the opposite: never a stack
// used lately; `stack_acquire_fresh` and `stack_retire` rotate through at least 61 slots.
#ifndef SKEIN_THREAD_STACK_H
#define SKEIN_THREAD_STACK_H

#include "abi/stacks.h"
#include "base/event.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

inline constexpr uint32_t no_slot = UINT32_MAX;
inline constexpr uint32_t main_slots = 64; // for one node
inline constexpr size_t slot_alignment = 64 << 10;
inline constexpr size_t guard_bytes_min = SKEIN_STACK_GUARD_BYTES;

struct Stack {
  std::byte *slot_begin = nullptr;
  std::byte *low = nullptr; // usable: [low, high)
  std::byte *high = nullptr;
  std::byte *slot_end = nullptr;
  uint32_t slot = no_slot;

  explicit operator bool() const { return slot != no_slot; }
  size_t bytes() const { return static_cast<size_t>(high - low); }
  /// In the slot, guards included.
  bool contains(const void *address) const {
    auto *byte = static_cast<const std::byte *>(address);
    return byte >= slot_begin && byte < slot_end;
  }
};

/// Reserves the arena. Reads the knobs and node.count; ends the process if the address space is not to be had.
void stacks_start();

/// Whether two integers side by side, each within 2^24 of 0, may look like an address in it, {5, 0x7f11} like
/// 0x7f11'0000'0005. Not used while there are others: an integer that looks like an address of the thread's stack keeps
/// the thread where it is (migrate/check.h).
bool stack_is_ambiguous(const Stack &stack);

/// Size of the usable part of a thread slot, of a main slot.
size_t stack_bytes();
size_t stack_bytes_max();

/// A stack with at least `bytes` usable, mapped, with undefined contents. An empty Stack if there is none (out of
/// memory, out of slots, or too many mappings: vm.max_map_count).
Stack stack_acquire(size_t bytes);
inline Stack stack_acquire() { return stack_acquire(stack_bytes()); }

/// A stack that grows (growable.h), as far as any may; empty if there are none.
Stack stack_acquire_growing();
/// For a thread that comes from another node, where it was in `slot` of `bytes`: one that grows if that one did.
Stack stack_acquire_arriving(uint32_t slot, size_t bytes);

/// Whether a thread on that stack keeps its address when it leaves: the slot is unique over all nodes.
bool stack_keeps_address(const Stack &stack);
/// Whether it also keeps its memory, which all nodes share.
bool stack_keeps_memory(const Stack &stack);
/// Whether any stack does.
bool stacks_are_shared();
/// The nodes lay out their stacks differently: from now on no thread keeps its address. Called before the first one
/// leaves.
void stacks_differ();
/// A slot that is unique, whether a thread is on it or not; an empty Stack if it is not unique.
Stack stack_in_slot(uint32_t slot);
/// Takes exactly that slot, which its thread brings along. Empty if it is no slot, in use here, or there is no memory.
Stack stack_acquire_slot(uint32_t slot);

/// Gives a stack back whose thread is over. Works on any kernel thread.
void stack_release(const Stack &stack);
/// Whether the program's globals hold an address in that stack, on which there is no thread; null as long as no thread
/// moves (set by migrate/leftovers.cpp). Such a slot is set aside (thread/free_slots.h). It may say no without a look.
extern std::atomic<bool (*)(const Stack &stack)> stack_left_in_globals;
/// Notes for the next thread of the slot that the globals do, which was found while its thread was still on it, and not
/// in the part in use.
void stack_note_left(const Stack &stack);
/// For quick ways (sched/quick.h), which take from and give to what this kernel thread has at hand: whether there is a
/// stack of stack_bytes(), and whether there is room for one.
bool stack_at_hand();
Stack stack_acquire_quickly();
bool stack_releasable_quickly(const Stack &stack);
void stack_release_quickly(const Stack &stack);
/// The thread on it went to another node. A slot that is unique goes with the thread, and is not free here; any other
/// is released. With `close`, code that still has an address of it shall fault.
void stack_leave(const Stack &stack, bool close = false);

/// The thread on it lives on without it, or on another stack. The stack is released.
void stack_vacate(const Stack &stack);

/// For the child of a fork: the kernel threads that held locks do not exist there. What was free then is lost, and the
/// caller's stack is as it was.
void stacks_after_fork();

/// Gives this kernel thread's cache of free stacks to the others, before it sleeps or ends.
void stack_cache_flush();

/// A slot this node owns was released on another node (net calls this). False, and nothing has happened: it is no slot
/// of this node, or has not left it.
bool stack_slot_returned(uint32_t slot);
/// Fired when a slot is released here that another node owns.
extern Event<uint32_t> foreign_slot_released;
/// The thread that brought a slot along lives on another stack here: the slot is free again, at its owner.
void stack_slot_unwanted(uint32_t slot);
/// Whether a thread of this process is on it.
bool stack_in_use(const Stack &stack);
/// The node that owns a slot (always this one if they are not unique).
int stack_slot_owner(uint32_t slot);
/// Threads whose stacks have the same number here find a stack faster on a node that takes more than one of them, since
/// it makes those slots accessible together. no_neighbours: it does not matter.
inline constexpr uint32_t no_neighbours = UINT32_MAX;
uint32_t stack_neighbourhood(const Stack &stack);

/// For the stress mode: a stack of the same size as `like` that was not in use for at least the last 60 calls, with
/// junk where it was used before. Empty: none is left.
Stack stack_acquire_fresh(const Stack &like);
/// For the stress mode: fills [live_low, high) with junk, makes the slot inaccessible (knob stress_protect), and puts
/// it at the end of the rotation.
void stack_retire(const Stack &stack, const void *live_low);

/// The slot that an address lies in, as a Stack (mapped or not), or an empty Stack if it is not in the arena.
/// Async-signal-safe.
Stack stack_containing(const void *address);
/// The whole arena, for classifying addresses.
struct StackArena {
  std::byte *begin;
  std::byte *end;
};
StackArena stack_arena();

/// What has to be equal on all nodes for slots to be unique (base address and slot sizes), for net's handshake. 0: they
/// are not unique.
uint64_t stack_geometry();

} // namespace skein

#endif
