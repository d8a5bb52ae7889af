// The side of the owner, or of its heir (slices.h), in an access to shared memory: it decides whether the access is
// allowed, and makes it.
//
// Each access by message is checked against the blocks (allocator.h) and ranges (ranges.h) of this node. Only the
// keeper of the slice knows them at that moment, so no freed memory is read or written silently. The keeper's
// processors then make the access, so it is atomic with respect to what the keeper's own threads do.
#ifndef SKEIN_DSM_OWNER_H
#define SKEIN_DSM_OWNER_H

#include "abi/entry_points.h"
#include "dsm/allocator.h"

#include <cstdint>
#include <cstring>

namespace skein {

void owner_start();

/// Whether all of [address, address + bytes), of one slice that this node keeps, may be read or written. If not, `why`
/// says why.
bool access_allowed(uint64_t address, uint64_t bytes, bool write, Why &why);

/// memcpy, but a word of 1, 2, 4 or 8 bytes that is aligned is copied in one access.
inline void copy_words(void *to, const void *from, uint64_t bytes) {
  const auto both = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from);
  const auto copy = [&](auto word) {
    using Word = decltype(word);
    if (both % sizeof(Word))
      memcpy(to, from, bytes);
    else
      __atomic_store_n(static_cast<Word *>(to), __atomic_load_n(static_cast<const Word *>(from), __ATOMIC_ACQUIRE),
                       __ATOMIC_RELEASE);
  };
  switch (bytes) {
  case 1:
    return copy(uint8_t{});
  case 2:
    return copy(uint16_t{});
  case 4:
    return copy(uint32_t{});
  case 8:
    return copy(uint64_t{});
  default:
    memcpy(to, from, bytes);
  }
}

inline constexpr char belongs_nowhere[] = "that belongs to no node of this run";

/// Null, or the reason why `operation` (SKEIN_ATOMIC_*) cannot be done on `bytes` bytes at `address`.
inline const char *operation_wrong(uint64_t address, uint64_t bytes, uint64_t operation) {
  constexpr uint64_t sizes = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16;
  const bool known =
      bytes <= 16 && (sizes >> bytes & 1) && operation <= (bytes == 16 ? SKEIN_ATOMIC_COMPARE : SKEIN_ATOMIC_UMIN);
  return known && (address & (bytes - 1)) == 0 ? nullptr : "an atomic operation needs an aligned word";
}
/// An atomic operation, of 1, 2, 4, 8 or 16 bytes, on memory that is mapped here. `operand` becomes the
/// old value.
void operate_here(uint64_t address, uint64_t bytes, uint64_t operation, uint64_t (&operand)[2],
                  const uint64_t (&expected)[2]);

} // namespace skein

#endif
