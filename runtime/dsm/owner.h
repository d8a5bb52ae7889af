// The owner's side of an access to shared memory: whether it may be, and doing it.
//
// Each access by message is checked against the blocks (allocator.h) and ranges (ranges.h) of this node, which is the
// only one that knows them at that moment, and then done by this node's processors: so it is atomic to what its own
// threads do, and no freed memory is read or written without a word.
#ifndef SKEIN_DSM_OWNER_H
#define SKEIN_DSM_OWNER_H

#include "dsm/allocator.h"

#include <cstdint>

namespace skein {

void owner_start();

/// Whether all of [address, address + bytes) may be read or written here, its owner; else `why` says why not.
bool access_allowed(uint64_t address, uint64_t bytes, bool write, Why &why);

/// memcpy, but in one access where the size is one that the processor does at once.
void copy_words(void *to, const void *from, uint64_t bytes);

inline constexpr char belongs_nowhere[] = "that belongs to no node of this run";

/// Null, or why `operation` (SKEIN_ATOMIC_*) is none on `bytes` bytes at `address`.
const char *operation_wrong(uint64_t address, uint64_t bytes, uint64_t operation);
/// An atomic operation, of 1, 2, 4, 8 or 16 bytes, on memory that is mapped here. `operand` becomes what was there.
void operate_here(uint64_t address, uint64_t bytes, uint64_t operation, uint64_t (&operand)[2],
                  const uint64_t (&expected)[2]);

} // namespace skein

#endif
