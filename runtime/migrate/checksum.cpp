// The checksum of an image, with and without the processor's AES instruction; see checksum.h.
#include "migrate/checksum.h"

#include <immintrin.h>
#include <string.h>

namespace skein {

namespace {

constexpr unsigned lanes = 8;
constexpr size_t block_bytes = 16;

struct Block {
  unsigned char byte[block_bytes];
};

Block numbers(uint64_t first, uint64_t second) {
  Block block;
  memcpy(block.byte, &first, sizeof first);
  memcpy(block.byte + sizeof first, &second, sizeof second);
  return block;
}
Block lane_begin(unsigned l) { return numbers(checksum_factor * (2 * l + 1), checksum_factor * (2 * l + 2)); }

// --- with the instruction -------------------------------------------------------------------------------------------

__attribute__((target("aes,avx"))) __m128i vector_of(const Block &block) {
  return _mm_loadu_si128((const __m128i *)block.byte);
}

__attribute__((target("aes,avx"))) uint32_t checksum_aes(const void *data, size_t bytes) {
  auto *at = (const unsigned char *)data;
  __m128i lane[lanes];
#pragma unroll
  for (unsigned l = 0; l < lanes; ++l)
    lane[l] = vector_of(lane_begin(l));
  size_t left = bytes;
  for (; left >= lanes * block_bytes; left -= lanes * block_bytes, at += lanes * block_bytes) {
#pragma unroll
    for (unsigned l = 0; l < lanes; ++l)
      lane[l] = _mm_aesenc_si128(lane[l], _mm_loadu_si128((const __m128i *)(at + l * block_bytes)));
  }
#pragma unroll
  for (unsigned l = 0; l < lanes; ++l) {
    if (left >= (l + 1) * block_bytes)
      lane[l] = _mm_aesenc_si128(lane[l], _mm_loadu_si128((const __m128i *)(at + l * block_bytes)));
    else if (left > l * block_bytes)
      lane[l] = _mm_aesenc_si128(lane[l], _mm_loadl_epi64((const __m128i *)(at + l * block_bytes)));
  }
#pragma unroll
  for (unsigned half = lanes / 2; half > 0; half /= 2)
#pragma unroll
    for (unsigned l = 0; l < half; ++l)
      lane[l] = _mm_aesenc_si128(lane[l], lane[l + half]);
  lane[0] = _mm_aesenc_si128(lane[0], vector_of(numbers(bytes, 0)));
  lane[0] = _mm_aesenc_si128(lane[0], _mm_setzero_si128());
  return (uint32_t)_mm_cvtsi128_si32(lane[0]);
}

// --- without --------------------------------------------------------------------------------------------------------

// What a byte of row 0 adds to its column: MixColumns of SubBytes of it. For the other rows it is the same, rotated.
struct Table {
  uint32_t column[256];
  constexpr Table() : column() {
    auto twice = [](uint32_t a) { return (a << 1 ^ (a & 0x80 ? 0x1b : 0)) & 0xff; }; // in the field of AES
    auto enter = [&](uint32_t a, uint32_t inverse) {
      const uint32_t wide = inverse | inverse << 8;
      const uint32_t s = ((wide ^ wide >> 7 ^ wide >> 6 ^ wide >> 5 ^ wide >> 4) & 0xff) ^ 0x63;
      column[a] = twice(s) | s << 8 | s << 16 | (twice(s) ^ s) << 24;
    };
    enter(0, 0);
    uint32_t power = 1, inverse = 1; // powers of 3, which generates the field
    do {
      power ^= twice(power);
      inverse = (inverse ^ inverse << 1) & 0xff; // divides by 3, which is to multiply by 0xf6
      inverse = (inverse ^ inverse << 2) & 0xff;
      inverse = (inverse ^ inverse << 4) & 0xff;
      inverse ^= inverse & 0x80 ? 0x09 : 0;
      enter(power, inverse);
    } while (power != 1);
  }
};
constexpr Table table;

void round(Block &lane, const Block &block) {
  Block next;
  for (unsigned c = 0; c < 4; ++c) {
    uint32_t column;
    memcpy(&column, block.byte + 4 * c, sizeof column);
    for (unsigned row = 0; row < 4; ++row) { // ShiftRows: the byte comes from the column that many places further on
      const uint32_t added = table.column[lane.byte[4 * ((c + row) % 4) + row]];
      column ^= row == 0 ? added : added << 8 * row | added >> (32 - 8 * row);
    }
    memcpy(next.byte + 4 * c, &column, sizeof column);
  }
  lane = next;
}

} // namespace

uint32_t checksum_portable(const void *data, size_t bytes) {
  auto *at = (const unsigned char *)data;
  Block lane[lanes];
  for (unsigned l = 0; l < lanes; ++l)
    lane[l] = lane_begin(l);
  for (size_t offset = 0; offset < bytes; offset += block_bytes) {
    Block block = {};
    memcpy(block.byte, at + offset, bytes - offset < block_bytes ? bytes - offset : block_bytes);
    round(lane[offset / block_bytes % lanes], block);
  }
  for (unsigned half = lanes / 2; half > 0; half /= 2)
    for (unsigned l = 0; l < half; ++l)
      round(lane[l], lane[l + half]);
  round(lane[0], numbers(bytes, 0));
  round(lane[0], {});
  uint32_t sum;
  memcpy(&sum, lane[0].byte, sizeof sum);
  return sum;
}

uint32_t checksum(const void *data, size_t bytes) {
  static const bool fast = __builtin_cpu_supports("aes") && __builtin_cpu_supports("avx");
  return fast ? checksum_aes(data, bytes) : checksum_portable(data, bytes);
}

} // namespace skein
