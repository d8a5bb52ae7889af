// See search.h. Blocks of words are tested without a branch per word, so that the compiler vectorises the test; the
// word itself is looked for only in a block that has one.
#include "migrate/search.h"

namespace skein {

namespace {

constexpr size_t block_words = search_block_words;

inline uintptr_t word_at(const unsigned char *at) {
  uintptr_t word;
  __builtin_memcpy(&word, at, sizeof word);
  return word;
}

template <size_t stride>
[[gnu::always_inline]] inline bool any_inside(const unsigned char *first, size_t count, uintptr_t begin,
                                              uintptr_t bytes) {
  bool found = false;
  for (size_t i = 0; i < count; ++i)
    found |= word_at(first + i * stride) - begin < bytes;
  return found;
}

__attribute__((target("avx2"))) bool any_inside_avx2(const unsigned char *first, size_t count, uintptr_t begin,
                                                     uintptr_t bytes) {
  return any_inside<8>(first, count, begin, bytes);
}
bool any_inside_plain(const unsigned char *first, size_t count, uintptr_t begin, uintptr_t bytes) {
  return any_inside<8>(first, count, begin, bytes);
}
bool any_inside_bytewise(const unsigned char *first, size_t count, uintptr_t begin, uintptr_t bytes) {
  return any_inside<1>(first, count, begin, bytes);
}

auto *test_for(size_t stride) {
  static const bool avx2 = __builtin_cpu_supports("avx2");
  return stride == 1 ? any_inside_bytewise : avx2 ? any_inside_avx2 : any_inside_plain;
}

} // namespace

bool any_address(const void *first, size_t count, size_t stride, uintptr_t begin, uintptr_t end) {
  return test_for(stride)((const unsigned char *)first, count, begin, end - begin);
}

const void *find_address(const void *first, size_t count, size_t stride, uintptr_t begin, uintptr_t end) {
  auto *test = test_for(stride);
  auto *at = (const unsigned char *)first;
  while (count != 0) {
    size_t words = count < block_words ? count : block_words;
    // Other kernel threads may write meanwhile, so the word need not be there any more.
    if (test(at, words, begin, end - begin))
      for (size_t i = 0; i < words; ++i)
        if (word_at(at + i * stride) - begin < end - begin)
          return at + i * stride;
    at += words * stride;
    count -= words;
  }
  return nullptr;
}

} // namespace skein
