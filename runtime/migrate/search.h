// Searching memory that stays behind for addresses of a stack that is about to move.
#ifndef SKEIN_MIGRATE_SEARCH_H
#define SKEIN_MIGRATE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

namespace skein {

// The first of `count` words at `first`, `stride` (1 or 8) bytes apart, whose value lies in [begin, end); null if none
// does. Eight bytes are read for each. About 16 bytes a nanosecond where the words are aligned.
const void *find_address(const void *first, size_t count, size_t stride, uintptr_t begin, uintptr_t end);

// Whether any of up to `search_block_words` words may have such a value.
inline constexpr size_t search_block_words = 512;
bool any_address(const void *first, size_t count, size_t stride, uintptr_t begin, uintptr_t end);

// Calls visit(address of the word, value) for each of them, until it returns false; returns false then.
template <typename Visitor>
bool each_address(const void *first, size_t count, size_t stride, uintptr_t begin, uintptr_t end, Visitor &&visit) {
  auto *at = (const unsigned char *)first;
  for (size_t words; count != 0; at += words * stride, count -= words) {
    words = count < search_block_words ? count : search_block_words;
    if (!any_address(at, words, stride, begin, end))
      continue;
    for (size_t i = 0; i < words; ++i) {
      uintptr_t value;
      __builtin_memcpy(&value, at + i * stride, sizeof value);
      if (value - begin < end - begin && !visit((uintptr_t)(at + i * stride), value))
        return false;
    }
  }
  return true;
}

} // namespace skein

#endif
