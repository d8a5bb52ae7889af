// SipHash-2-4 (Aumasson, Bernstein): a 64-bit keyed hash that nobody can forge without the 128-bit key.
#ifndef SKEIN_NET_WIRE_SIPHASH_H
#define SKEIN_NET_WIRE_SIPHASH_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skein {

inline uint64_t siphash(const uint8_t key[16], const void *data, size_t bytes) {
  uint64_t k0, k1;
  std::memcpy(&k0, key, 8);
  std::memcpy(&k1, key + 8, 8);
  uint64_t v0 = k0 ^ 0x736f6d6570736575, v1 = k1 ^ 0x646f72616e646f6d;
  uint64_t v2 = k0 ^ 0x6c7967656e657261, v3 = k1 ^ 0x7465646279746573;
  auto rotate = [](uint64_t value, int by) { return value << by | value >> (64 - by); };
  auto round = [&] {
    v0 += v1, v1 = rotate(v1, 13) ^ v0, v0 = rotate(v0, 32);
    v2 += v3, v3 = rotate(v3, 16) ^ v2;
    v0 += v3, v3 = rotate(v3, 21) ^ v0;
    v2 += v1, v1 = rotate(v1, 17) ^ v2, v2 = rotate(v2, 32);
  };
  auto absorb = [&](uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  const auto *at = static_cast<const uint8_t *>(data);
  size_t left = bytes;
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    absorb(word);
  }
  uint64_t last = 0;
  std::memcpy(&last, at, left);
  absorb(last | static_cast<uint64_t>(bytes) << 56);
  v2 ^= 0xff;
  for (int i = 0; i < 4; i++)
    round();
  return v0 ^ v1 ^ v2 ^ v3;
}

} // namespace skein

#endif
