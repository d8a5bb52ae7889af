// Regions: address space that belongs to one thread, on whichever node the thread is.
//
//     0x1100'0000'0000                                                          0x2000'0000'0000 (2^45: shared memory)
//     | slice of node 0        | slice of node 1        | …                      |
//     | 64 KiB regions | 256 KiB regions | never used …
//
// The *private range* is cut evenly into a *slice* per node. A node hands out regions of its own slice only, so no two
// threads of a run ever get the same addresses, and what lies in a region keeps its address when its thread moves.
// Pointers to it are right on every node and need not be looked for.
//
// Life of a region: acquired (from this node's slice, zero-filled); departs here and arrives there as often as its
// thread moves between processes (unmapped, mapped at the same address); released, wherever its thread is then. Its
// addresses go back to the slice's owner by `foreign_region_released`, for the owner's `region_returned`. Until that
// news has arrived they are not handed out again.
//
// What was packed (skein/pack.h) may come back, at the same addresses. So a region of a thread that was packed is
// *kept* when it ends: its owner hands its addresses to nobody but a thread that is made of such an image and *claims*
// them. An image of another run may claim addresses that this run has never handed out.
//
// Sizes are rounded up to a power of two of address space, of which only what is touched costs memory. Regions of one
// size lie side by side and are mapped alike, so that the kernel keeps one mapping for many (vm.max_map_count); a small
// one that is released here stays mapped, emptied, for the next. Smaller ones never coalesce into larger ones: a slice
// holds 15 TiB divided by the number of nodes.
//
// Rejected: one range per process, with a delta per thread at each move (every pointer to the heap in every place would
// have to be known); handing out addresses from one node (a message per heap).
#ifndef SKEIN_PRIVATE_REGIONS_REGIONS_H
#define SKEIN_PRIVATE_REGIONS_REGIONS_H

#include "base/event.h"

#include <cstddef>
#include <cstdint>

namespace skein {

#ifdef SKEIN_TSAN // whose shadow lies there: between programs and libraries, where it lets things be mapped
inline constexpr uintptr_t private_begin = UINT64_C(0x5700'0000'0000);
inline constexpr uintptr_t private_end = UINT64_C(0x5a00'0000'0000);
#else
inline constexpr uintptr_t private_begin = UINT64_C(0x1100'0000'0000);
inline constexpr uintptr_t private_end = UINT64_C(0x2000'0000'0000);
#endif

inline bool in_private_range(uintptr_t address) { return address - private_begin < private_end - private_begin; }
/// The node whose slice an address lies in, -1 if in none of this run.
int region_owner(uintptr_t address);

/// Address space that a region of `bytes` takes; 0: there is none so large.
size_t region_bytes(size_t bytes);

/// A region of at least `bytes` from this node's slice, page-aligned (a large one to 2 MiB), readable and writable,
/// zero. Null without memory or address space. Any kernel thread.
void *region_acquire(size_t bytes);
/// Maps `bytes` zero-filled bytes at `begin`, where a thread that arrives has its region. False, and nothing changed,
/// if any of it is taken here, or without memory.
bool region_arrive(void *begin, size_t bytes);
/// Unmaps a region whose thread has left. The addresses still belong to the thread. `left`: its memory stays mapped
/// until paging gives it back.
void region_depart(void *begin, size_t bytes, bool left = false);
/// Ends a region, of the size with which it was acquired. `thread` is the one that had it. `for_images`: it is kept.
void region_release(void *begin, size_t bytes, uint64_t thread, bool for_images);

/// At the owner: gives addresses to a thread that is made of an image, and is about to arrive somewhere. Unless they
/// are `granted`, nothing has happened. `abroad`: a thread has them elsewhere, or the news that it has ended is under
/// way. `refused`: they are no region of this slice, a thread has them here, or another one may get them.
enum class Claim : uint8_t { refused, granted, abroad };
Claim region_claim(uintptr_t begin, size_t bytes);
/// Addresses that are free again, which their owner must hear.
inline constexpr uint64_t region_kept = 1;
struct FreedRegion {
  uint64_t begin;
  uint64_t bytes;  // and region_kept, if images have them
  uint64_t thread; // the one that had it, which shows an owner that has not heard so that this thread arrived elsewhere
};
static_assert(sizeof(FreedRegion) == 24);
extern Event<const FreedRegion &> foreign_region_released;
/// Anywhere: a thread does not need a region that it has or has claimed, and that is mapped nowhere.
void region_give_back(const FreedRegion &region);
/// At the owner: notes that a region is free again, or kept. False, and nothing has happened, if no such region of this
/// slice has departed.
bool region_returned(const FreedRegion &region);

/// In the child of a fork, where the thread that may have held the lock does not exist.
void regions_after_fork();

} // namespace skein

#endif
