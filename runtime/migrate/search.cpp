// Searches memory for addresses in a range; see search.h. Addresses in a range have their high bytes in common, or
// these lie in a small range themselves. So bytes are compared, 32 at a time, and only a block in which all four are
// found side by side is looked at word by word:
//
//     address   00 00 7f 3a c2 xx xx xx        byte 5 in [7f, 7f], byte 4 in [3a, 3a], byte 3 in [c2, c3]
//
// Byte 6 counts only where addresses have no tag. If the ends of the range differ in byte 5, the lower bytes say
// nothing, and so on.
//
// A stack mostly lies within 16 MiB that have all bytes from the third on in common. Then bytes 3 and 4 are first
// searched for as one number at every even and every odd place, which is a third of the work; only a block that has it
// is searched as above.
#include "migrate/search.h"
#include "base/processor_features.h"

namespace skein {

namespace {

constexpr size_t vector_bytes = 32;
typedef unsigned char Vector __attribute__((vector_size(vector_bytes), aligned(1), may_alias));

struct Bytes {
  unsigned char low, span; // the bytes that are possible: [low, low + span]
};

struct Pattern {
  Bytes sixth, fifth, fourth, third;

  Pattern(uintptr_t first, uintptr_t last)
      : sixth{0, (unsigned char)(last - first < search_tagged_most ? 0xff : 0)}, fifth(between(first, last, 40)),
        fourth(between(first, last, 32)), third(between(first, last, 24)) {}

  static Bytes between(uintptr_t first, uintptr_t last, unsigned shift) {
    if (first >> (shift + 8) != last >> (shift + 8))
      return {0, 0xff};
    return {(unsigned char)(first >> shift), (unsigned char)((last >> shift) - (first >> shift))};
  }
};

[[gnu::always_inline]] inline bool any_candidate(const unsigned char *at, size_t count, const Pattern &wanted) {
  Vector found = {};
  size_t i = 0;
  for (; i + vector_bytes <= count; i += vector_bytes) {
    auto inside = [&](unsigned byte, Bytes bytes) {
      return (Vector)((Vector)(*(const Vector *)(at + i + byte) - bytes.low) <= bytes.span);
    };
    found |= inside(6, wanted.sixth) & inside(5, wanted.fifth) & inside(4, wanted.fourth) & inside(3, wanted.third);
  }
  bool any = false;
  for (size_t part = 0; part < vector_bytes; part += 8) {
    uint64_t word;
    __builtin_memcpy(&word, (const unsigned char *)&found + part, sizeof word);
    any |= word != 0;
  }
  auto inside = [&](unsigned byte, Bytes bytes) { return (unsigned char)(at[i + byte] - bytes.low) <= bytes.span; };
  for (; i < count; ++i)
    any |= inside(6, wanted.sixth) && inside(5, wanted.fifth) && inside(4, wanted.fourth) && inside(3, wanted.third);
  return any;
}

constexpr unsigned pair_shift = 24;
typedef uint16_t Pairs __attribute__((vector_size(vector_bytes), aligned(1), may_alias));

/// Whether `pair` is at byte 3 of any of the words that begin in these `count` bytes, which are at least vector_bytes.
[[gnu::always_inline]] inline bool any_pair(const unsigned char *at, size_t count, uint16_t pair) {
  Pairs found = {};
  const auto look = [&](const unsigned char *from) {
    constexpr unsigned byte = pair_shift / 8;
    found |= (Pairs)((*(const Pairs *)(from + byte) == pair) | (*(const Pairs *)(from + byte + 1) == pair));
  };
  for (size_t i = 0; i + vector_bytes < count; i += vector_bytes)
    look(at + i);
  look(at + count - vector_bytes);
  uint64_t words[vector_bytes / 8];
  __builtin_memcpy(words, &found, sizeof words);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

/// Whether bits 16 to 47 of any word are among the `slots` numbers from `first` on. The compiler makes vectors of it.
[[gnu::always_inline]] inline bool any_middle(const unsigned char *words, size_t count, uint32_t first,
                                              uint32_t slots) {
  uint32_t near = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t middle;
    __builtin_memcpy(&middle, words + i * sizeof(uint64_t) + 2, sizeof middle);
    near |= (uint32_t)(middle - first < slots);
  }
  return near != 0;
}

// Each of these loops is compiled twice, since it is inlined where AVX2 may be used and where it may not.
template <auto loop, class... Arguments>
[[gnu::noinline]] __attribute__((target("avx2"))) bool by_avx2(Arguments... arguments) {
  return loop(arguments...);
}
template <auto loop, class... Arguments> [[gnu::noinline]] bool by_any(Arguments... arguments) {
  return loop(arguments...);
}
template <auto loop, class... Arguments> bool fastest(Arguments... arguments) {
  return processor_has(feature_avx2) ? by_avx2<loop>(arguments...) : by_any<loop>(arguments...);
}

} // namespace

bool any_address(const unsigned char *first, size_t count, uintptr_t begin, uintptr_t end) {
  if (begin >= end)
    return false;
  if (begin >> pair_shift == (end - 1) >> pair_shift && count >= vector_bytes &&
      !fastest<any_pair>(first, count, (uint16_t)(begin >> pair_shift)))
    return false;
  return fastest<any_candidate>(first, count, Pattern(begin, end - 1));
}

bool any_word_near(const unsigned char *words, size_t count, uintptr_t begin, uintptr_t end) {
  const auto first = (uint32_t)(begin >> 16), slots = (uint32_t)((end + 0xffff) >> 16) - first;
  return fastest<any_middle>(words, count, first, slots);
}

const void *find_address(const void *first, size_t bytes, uintptr_t begin, uintptr_t end) {
  const void *found = nullptr;
  each_address(first, bytes, begin, end, [&](uintptr_t at, uintptr_t) {
    found = (const void *)at;
    return false;
  });
  return found;
}

} // namespace skein
