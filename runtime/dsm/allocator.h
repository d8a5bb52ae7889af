// Memory blocks in this node's own slice. Only the owner allocates and frees, so no other process ever touches what is
// kept here; blocks and their headers lie in the slice, the free lists in the process.
//
//     slice_begin                                                                          used
//      | page 0, never given out | header | block …  | header | block …         |            |  untouched
//                                  64 B     capacity, a multiple of 64
//
// Capacities come in classes, four to a doubling, so that at most a fifth is lost. A header proves by a keyed check
// word that it is one and in which state, so a wild address, a second free and a header that the program has
// overwritten are all told from a block. Memory given out is zeroed; blocks of 1 MiB and more return their pages when
// they are freed.
//
// Where a block was once cut off, one stays for ever (it is only given out again), so a bit for each place where one
// begins, in a tree of words of 64 that only ever gains bits, finds the block that an address lies in, in five steps.
// That is how an access by message, and a free, is checked, and how an error names the allocation.
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
/// The block that `address` lies in, or behind, of this node's own slice. False if it lies before the first. Any kernel
/// thread.
bool shared_block_at(uint64_t address, SharedBlock &block);

/// Room for an error in words.
struct Why {
  char text[200];
};

/// Free a block. False: `why` says in words why this is none that could be freed. Any kernel thread.
bool shared_release(uint64_t address, Why &why);
/// Whether [address, address + bytes) lies in one block that is in use, its size rounded up to `grain`, a power of two.
/// False: `why` says where it lies. Takes a lock only to say so.
bool shared_in_block(uint64_t address, uint64_t bytes, uint64_t grain, Why &why);

/// Blocks given out and not freed; for tests and reports.
uint64_t shared_blocks();

} // namespace skein

#endif
