// See checksum.h.
#include "migrate/checksum.h"

#include <nmmintrin.h>

namespace skein {

namespace {

// CRC32C of one byte in front of 56 zero bits, as a table: 256 entries made once at compile time.
struct Table {
  uint32_t entry[256];
  constexpr Table() : entry() {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit)
        value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78u : 0);
      entry[byte] = value;
    }
  }
};
constexpr Table table;

uint32_t step(uint32_t crc, uint64_t word) {
  for (unsigned i = 0; i < 8; ++i, word >>= 8)
    crc = (crc >> 8) ^ table.entry[(crc ^ word) & 0xff];
  return crc;
}

__attribute__((target("sse4.2"))) uint32_t checksum_fast(const uint64_t *word, size_t words) {
  uint64_t lane[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  size_t i = 0;
  for (; i + 4 <= words; i += 4) {
    lane[0] = _mm_crc32_u64(lane[0], word[i]);
    lane[1] = _mm_crc32_u64(lane[1], word[i + 1]);
    lane[2] = _mm_crc32_u64(lane[2], word[i + 2]);
    lane[3] = _mm_crc32_u64(lane[3], word[i + 3]);
  }
  for (; i < words; ++i)
    lane[i % 4] = _mm_crc32_u64(lane[i % 4], word[i]);
  uint64_t all = UINT32_MAX;
  for (unsigned l = 0; l < 4; ++l)
    all = _mm_crc32_u64(all, lane[l] * (checksum_factor + 2 * l));
  return (uint32_t)all;
}

} // namespace

uint32_t checksum_portable(const void *data, size_t bytes) {
  auto *word = (const uint64_t *)data;
  uint32_t lane[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  for (size_t i = 0; i < bytes / 8; ++i)
    lane[i % 4] = step(lane[i % 4], word[i]);
  uint32_t all = UINT32_MAX;
  for (unsigned l = 0; l < 4; ++l)
    all = step(all, lane[l] * (checksum_factor + 2 * l));
  return all;
}

uint32_t checksum(const void *data, size_t bytes) {
  if (__builtin_cpu_supports("sse4.2"))
    return checksum_fast((const uint64_t *)data, bytes / 8);
  return checksum_portable(data, bytes);
}

} // namespace skein
