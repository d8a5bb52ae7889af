// Memory blocks in the slices that this node keeps. Only the keeper allocates and frees, so no other process ever
// touches what is kept here; blocks and their headers lie in the slice, the free lists in the process.
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
// A node that leaves the run passes on to its heir what is not in the slice: the key of the check words, how far the
// slice is used, and where blocks begin. So the heir checks accesses and frees as the owner did, and believes no header
// that the program may have overwritten. It allocates in its own slice only: a block of an adopted slice that is freed
// is not given out again, and what adopted blocks take up counts against the limit (shared_most) of the heir.
//
// Rejected: headers apart from blocks (a table to look up at each free, for a saving of 64 bytes); allocation by any
// process of the host under a shared lock (a process that dies in it stops all).
#ifndef SKEIN_DSM_ALLOCATOR_H
#define SKEIN_DSM_ALLOCATOR_H

#include "net/wire/messages.h"

#include <cstddef>
#include <cstdint>

namespace skein {

/// The address of `bytes` zeroed bytes in this node's own slice, 64-aligned; 0 if the slice is full. Any kernel thread.
uint64_t shared_allocate(uint64_t bytes);

struct SharedBlock {
  uint64_t begin, bytes; // as many as were asked for
  bool given;            // not freed
};
/// Finds the last block of the slice of `address`, which this node keeps, that begins at or before it. False if there
/// is none. Any kernel thread.
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

/// Blocks given out and not freed, in all slices that this node keeps; for tests and reports.
uint64_t shared_blocks();
/// Where the block area of this node's own slice begins to be untouched.
uint64_t shared_used();

// What the heir has to know of the blocks of a slice comes in pieces, in any order. Handlers only.
//
/// Makes the next piece about this node's own slice, of at most `room` bytes. The cursor begins at 0. Returns the
/// bytes; 0: there are no more, and there was at least one.
size_t blocks_tell(uint64_t &cursor, void *piece, size_t room);
bool blocks_check(int owner, const void *piece, size_t bytes, Complaint &wrong);
/// Takes a piece that was checked. The slice's contents are there, and it is mapped. True: it was the last one.
bool blocks_take(int owner, const void *piece, size_t bytes);

} // namespace skein

#endif
