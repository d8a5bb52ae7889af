// Memory that stays behind must be searched for addresses of a stack that is about to move. The search looks at every
// byte, since members of packed structs lie anywhere. It ignores a tag above an address (base/addresses.h), unless the
// range is larger than a stack, where words that are no addresses would be found by chance.
#ifndef SKEIN_MIGRATE_SEARCH_H
#define SKEIN_MIGRATE_SEARCH_H

#include "base/addresses.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

// The first word that lies in the `bytes` bytes at `first`, and whose value lies in [begin, end); null if none does.
const void *find_address(const void *first, size_t bytes, uintptr_t begin, uintptr_t end);

// False if none of the words that begin in the `count` bytes at `first` can have such a value. Seven bytes more are
// read. Takes about a nanosecond for 16 bytes.
inline constexpr size_t search_block = 4096;
inline constexpr uintptr_t search_tagged_most = uintptr_t{1} << 31;
inline constexpr size_t search_few = 16; // so few places are looked at one by one: most globals are one pointer
bool any_address(const unsigned char *first, size_t count, uintptr_t begin, uintptr_t end);

// The same for `count` words that lie side by side, of which a program knows where they begin: whether bits 16 to 47 of
// any are those of an address in [begin, end). Reads nothing more.
bool any_word_near(const unsigned char *words, size_t count, uintptr_t begin, uintptr_t end);

// Calls visit(address of the word, value) for each such word. Stops and returns false when visit does.
template <typename Visitor>
bool each_address(const void *first, size_t bytes, uintptr_t begin, uintptr_t end, Visitor &&visit) {
  auto *at = (const unsigned char *)first;
  const uintptr_t looked_at = end - begin <= search_tagged_most ? address_bits : UINTPTR_MAX;
  size_t left = bytes < 8 ? 0 : bytes - 7;
  for (size_t count; left != 0; at += count, left -= count) {
    count = left < search_block ? left : search_block;
    if (count > search_few && !any_address(at, count, begin, end))
      continue;
    for (size_t i = 0; i < count; ++i) {
      uintptr_t value;
      __builtin_memcpy(&value, at + i, sizeof value);
      // Other kernel threads may write meanwhile, so the word need not be there any more.
      if ((value & looked_at) - begin < end - begin && !visit((uintptr_t)(at + i), value))
        return false;
    }
  }
  return true;
}

} // namespace skein

#endif
