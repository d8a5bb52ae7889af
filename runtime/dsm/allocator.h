// Memory blocks in this node's own slice. Only the owner allocates and frees, so no other process ever touches what is
// kept here; blocks and their headers lie in the slice, the free lists in the process.
//
//     slice_begin                                                                          used
//      | page 0, never given out | header | block …  | header | block …         |            |  untouched
//                                  64 B     capacity, a multiple of 64
//
// Capacities come in classes, four to a doubling, so that at most a fifth is lost. A keyed check word in each header
// shows that it is a header, and in which state its block is. So a wild address, a second free and a header that the
// program has overwritten are all told from a block. Memory given out is zeroed; blocks of 1 MiB and more return their
// pages when they are freed.
//
// A block that was once cut off stays a block for ever; it is only given out again. So a set of the places where blocks
// begin, a tree of words of 64 bits that only ever gains bits, finds the block in which an address lies in five steps.
// Each access by message and each free is checked with it, and errors use it to name the allocation.
//
// Rejected: headers apart from blocks (a table to look up at each free, for a saving of 64 bytes); allocation by any
// process of the host under a shared lock (a process that dies in it stops all).
#ifndef SKEIN_DSM_ALLOCATOR_H
#define SKEIN_DSM_ALLOCATOR_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// The address of `bytes` zeroed bytes, 64-aligned; 0 if the slice is full. Any kernel thread.
uint64_t shared_allocate(uint64_t bytes);

struct SharedBlock {
  uint64_t begin, bytes; // as many as were asked for
  bool given;            // not freed
};
/// Finds the last block of this node's slice that begins at or before `address`. False if there is none. Any kernel
/// thread.
bool shared_block_at(uint64_t address, SharedBlock &block);

/// The text of an error.
struct Why {
  char text[200];
};

/// Frees a block. False: no block that could be freed begins at `address`, and `why` says why. Any kernel thread.
bool shared_release(uint64_t address, Why &why);
/// Whether [address, address + bytes) lies in one block that is in use, its size rounded up to `grain`, a power of two.
/// False: `why` says where it lies; only then a lock is taken.
bool shared_in_block(uint64_t address, uint64_t bytes, uint64_t grain, Why &why);

/// Blocks given out and not freed; for tests and reports.
uint64_t shared_blocks();

} // namespace skein

#endif
