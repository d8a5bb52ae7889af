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

/// All bits of the result depend on all bits of x: the last steps of splitmix64 (Steele, Lea and Flood, Fast splittable
/// pseudorandom number generators, 2014).
inline uint64_t splitmix64(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

} // namespace skein

#endif
