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
// Rejected: headers apart from blocks (a table to look up at each free, for a saving of 64 bytes); allocation by any
// process of the host under a shared lock (a process that dies in it stops all).
#ifndef SKEIN_DSM_ALLOCATOR_H
#define SKEIN_DSM_ALLOCATOR_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// The address of `bytes` zeroed bytes, 64-aligned; 0 if the slice is full. Any kernel thread.
uint64_t shared_allocate(uint64_t bytes);

/// Null, or in words why this is no block that could be freed.
const char *shared_release(uint64_t address);

/// Blocks given out and not freed; for tests and reports.
uint64_t shared_blocks();

} // namespace skein

#endif
