// The global range [2^45, 2^46), cut into one slice of 64 GiB a node, at the same addresses in every process.
//
//     2^45             + 2^36            + 2 * 2^36                                     2^46
//      | slice of node 0 | slice of node 1 | …                                            |
//
// A slice has three areas:
//
//      | blocks (allocator.h)  32 GiB | ranges that are the same in all slices  16 GiB | pages of this node's  16 GiB |
//                                       (ranges.h)                                       (ranges.h)
//
// A slice is a memory file that the launcher made; every process of the host maps it where it belongs when it is first
// touched, and says so in __skein_slice_mapped, which compiled code looks at before each access. Nothing is mapped, and
// no memory is taken, before. In a run of one node, or on several hosts, there is no file, and a node's slice is
// private memory.
//
// A slice has an *owner*, the node whose number it has, and a *keeper*, who answers for it: who checks and makes
// accesses by message, frees its blocks, and leads changes of its pages. That is the owner, or, once the owner has left
// the run, its heir (net/run/leaving.h), who has *adopted* the slice (slice_estate.h). Addresses do not change, and
// messages are addressed to the owner; the link delivers them to the keeper, which may be the sender.
#ifndef SKEIN_DSM_SLICES_H
#define SKEIN_DSM_SLICES_H

#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/node.h"

#include <cstddef>
#include <cstdint>

namespace skein {

inline constexpr uint64_t slice_bytes = UINT64_C(1) << SKEIN_SLICE_BITS;
/// Where an address of the range is in this process.
inline void *pointer_to(uint64_t address) { return reinterpret_cast<void *>(address); }

inline uint64_t slice_begin(int owner) { return SKEIN_SHARED_BASE + static_cast<uint64_t>(owner) * slice_bytes; }

inline constexpr uint64_t block_area_bytes = slice_bytes / 2;
inline constexpr uint64_t common_area = slice_bytes / 2, common_area_bytes = slice_bytes / 4; // offset in each slice
inline constexpr uint64_t page_area = common_area + common_area_bytes, page_area_bytes = slice_bytes / 4;

/// A memory file has the slice, and behind it what room checkpoint keeps while it copies the slice (kept_pages.h).
inline constexpr uint64_t slice_file_bytes = 2 * slice_bytes + slice_bytes / 4096 + 4096;

/// The node whose slice holds an address, -1 if it is no shared address of this run.
inline int slice_owner(uint64_t address) {
  if (address < SKEIN_SHARED_BASE || address >= SKEIN_SHARED_END)
    return -1;
  const int owner = static_cast<int>((address - SKEIN_SHARED_BASE) >> SKEIN_SLICE_BITS);
  return owner < node.count ? owner : -1;
}
/// Whether all of [address, address + bytes) lies in one slice of this run.
inline bool slice_holds(uint64_t address, uint64_t bytes) {
  const int owner = slice_owner(address);
  return owner >= 0 && bytes <= slice_begin(owner) + slice_bytes - address;
}

/// The node that keeps the slice which holds an address, as far as this one knows; -1 if it is no shared address of
/// this run.
inline int slice_keeper(uint64_t address) {
  const int owner = slice_owner(address);
  return owner < 0 ? owner : keeper_of(owner);
}
/// Slices of other nodes that this one has adopted. Only cache.cpp sets it, when all else of the slice is in its place.
extern bool slices_adopted[SKEIN_SLICE_COUNT];
/// Whether this node keeps the slice. From then on the slice is mapped.
inline bool slice_kept(int owner) {
  return owner == node.self ||
         (owner >= 0 &&
          __atomic_load_n(&slices_adopted[owner], __ATOMIC_ACQUIRE)); // pairs with the release in cache_adopt
}

/// Whether this process may reach the slice directly (it does not under shared=remote, except as its keeper).
inline bool slice_reachable(int owner) { return knobs.shared == SharedAccess::mapped || slice_kept(owner); }
/// Unlike __skein_slice_mapped, which is never set under shared=remote, it has this node's own slice, too.
extern bool slices_mapped[SKEIN_SLICE_COUNT];
/// Whether this process has mapped the slice.
inline bool slice_is_mapped(int owner) {
  return __atomic_load_n(&slices_mapped[owner], __ATOMIC_ACQUIRE); // pairs with the release in slice_map_now
}
void slice_map_now(int owner);
/// Maps the slice, unless it is mapped. Ends the process if that is impossible.
inline void slice_map(int owner) {
  if (!slice_is_mapped(owner))
    slice_map_now(owner);
}
/// Makes room for the contents of a slice that this node is about to adopt and has no file of: maps it where it
/// belongs, all of it writable, while nobody looks there (slice_map then maps it for everybody). slice_unstage drops it
/// again.
void slice_stage(int owner);
void slice_unstage(int owner);
/// Gives pages of a slice that this node keeps back to the system, so that they read as zeros. False: their content
/// stays.
bool slice_clear(uint64_t address, uint64_t bytes);
void shared_slices_start();
/// Set by room checkpoint. In a process that is made of a copy, a slice that this node keeps has a new memory file,
/// which is empty and mapped where the former one was: fills it with what the slice had. Memory that is not a file's
/// comes with the copy.
extern void (*slice_refill)(int owner);
/// Called when a slice has been mapped, with its lock held, before any thread may touch it: it sets the protections.
extern void (*slice_mapped)(int owner);
/// Set by room checkpoint. The memory file of a slice has been mapped, with its lock held, and no thread touches it
/// yet.
extern void (*slice_has_been_mapped)(int owner);
/// Set by room checkpoint. Pages of a slice that this node keeps are about to lose their contents.
extern void (*slice_is_cleared)(uint64_t address, uint64_t bytes);

} // namespace skein

#endif
