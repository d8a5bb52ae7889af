// The private heap of a thread: a space (space.h) in growing extents, and large blocks with an extent each.
//
//     small block:   in a chunk of the space
//     large block:   | LargeHeader | …  0 : 32 | type : 32 | the block …    |  an extent, kind large
//                                                            ^ 64 bytes in, or where its alignment wants it
//
// A large block that outgrows its address space gets four times as much as it needs, and its pages are moved there, not
// copied.
//
// Blocks of up to 60 KiB are cut from *slabs* of blocks of one size (slabs.h), which are blocks of the space, and go
// back to them in some twenty instructions. What is larger is a block of the space itself.
//
// A heap does not exist before the first malloc. Only the thread itself uses it, so there are no locks. After main has
// ended, its private memory stays, for exit handlers and destructors, which do not run on a thread.
//
// A block that another Skein thread has is neither freed nor resized: the program ends with a message. (Rejected:
// queues of blocks to be freed by their owner, which may be on another node or have ended, its memory with it.) Kernel
// threads that the owner started may, since it stays where it is meanwhile: what they free is listed in its record, and
// taken back when it next asks the space for memory. They allocate from libc.
#ifndef SKEIN_PRIVATE_HEAP_HEAP_H
#define SKEIN_PRIVATE_HEAP_HEAP_H

#include "abi/layout.h"
#include "private/heap/space.h"
#include "private/regions/extents.h"

#include <cstddef>
#include <cstdint>

namespace skein {

inline constexpr size_t large_bytes_min = 1 << 20;
inline constexpr size_t large_header_bytes = 64;

/// The layout that a header's number stands for; null for none, or for a number that no block of this program has.
const skein_layout *heap_layout(uint32_t type);
/// Whether each pointer of each layout lies at a multiple of its size: no type is packed.
bool heap_pointers_aligned();
inline const char *layout_name(const skein_layout *layout) {
  return reinterpret_cast<const char *>(&layout->name) + layout->name;
}

/// A heap that arrived: `owned.heap` has been set.
void heap_attach(Private &owned);
/// Bytes behind the beginning of a space that heap_attach relies on.
size_t heap_state_bytes();

/// A block of the space, which is given memory if it has too little; aligned if `alignment` is not 0. Null with errno.
void *heap_allocate(Private &owned, size_t bytes, size_t alignment = 0);
/// What lies there goes back to the space, so no block in it is given a type any more.
void heap_forget_recent(HeapClasses &classes, const void *begin, const void *end);

/// The beginning of a large block's bytes in its extent; 0 if the extent holds none (an image may say anything).
uintptr_t large_block(const Extent &extent);

} // namespace skein

#endif
