// Random numbers that only have to spread: which node is asked first, when something happens. xorshift (Marsaglia,
// 2003); a state is never 0.
#ifndef SKEIN_BASE_RANDOM_H
#define SKEIN_BASE_RANDOM_H

#include <cstdint>

namespace skein {

inline uint32_t xorshift(uint32_t &state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

inline uint64_t xorshift(uint64_t &state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

} // namespace skein

#endif
