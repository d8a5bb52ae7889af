// See search.h. The addresses wanted agree in their high bytes. So bytes are compared, 32 at a time: two that must be
// equal, one that lies in a range; and a block in which all three are ever found side by side is looked at word by
// word.
//
//     address   00 00 7f 3a c2 xx xx xx        byte 5 == 7f, byte 4 == 3a, byte 3 in [c2, c3]
#include "migrate/search.h"

namespace skein {

namespace {

constexpr size_t vector_bytes = 32;
typedef unsigned char Vector __attribute__((vector_size(vector_bytes), aligned(1), may_alias));

// Part of a range, whose addresses differ in their low four bytes only.
struct Window {
  unsigned char byte5, byte4, low3, span3;

  Window(uintptr_t begin, uintptr_t last)
      : byte5((unsigned char)(begin >> 40)), byte4((unsigned char)(begin >> 32)), low3((unsigned char)(begin >> 24)),
        span3((unsigned char)((last >> 24) - (begin >> 24))) {}
};

[[gnu::always_inline]] inline bool any_candidate(const unsigned char *at, size_t count, const Window &window) {
  Vector found = {};
  size_t i = 0;
  for (; i + vector_bytes <= count; i += vector_bytes) {
    auto third = (const Vector *)(at + i + 3), fourth = (const Vector *)(at + i + 4);
    auto fifth = (const Vector *)(at + i + 5);
    found |= (Vector)((*fifth == window.byte5) & (*fourth == window.byte4) &
                      ((Vector)(*third - window.low3) <= window.span3));
  }
  bool any = false;
  for (size_t part = 0; part < vector_bytes; part += 8) {
    uint64_t word;
    __builtin_memcpy(&word, (const unsigned char *)&found + part, sizeof word);
    any |= word != 0;
  }
  for (; i < count; ++i)
    any |= at[i + 5] == window.byte5 && at[i + 4] == window.byte4 &&
           (unsigned char)(at[i + 3] - window.low3) <= window.span3;
  return any;
}

__attribute__((target("avx2"))) bool any_candidate_avx2(const unsigned char *at, size_t count, const Window &window) {
  return any_candidate(at, count, window);
}
bool any_candidate_plain(const unsigned char *at, size_t count, const Window &window) {
  return any_candidate(at, count, window);
}

} // namespace

bool any_address(const unsigned char *first, size_t count, uintptr_t begin, uintptr_t end) {
  static const auto test = __builtin_cpu_supports("avx2") ? any_candidate_avx2 : any_candidate_plain;
  constexpr uintptr_t window = uintptr_t{1} << 32;
  for (uintptr_t low = begin; low < end;) {
    uintptr_t next = (low & -window) + window;
    uintptr_t last = (next < end ? next : end) - 1;
    if (test(first, count, Window(low, last)))
      return true;
    low = last + 1;
  }
  return false;
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
