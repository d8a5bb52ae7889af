// The checksum of an image, with and without the processor's AES instruction; see checksum.h.
#include "migrate/checksum.h"

#include "base/aes.h"
#include "base/processor_features.h"

#include <immintrin.h>
#include <string.h>

namespace skein {

namespace {

constexpr unsigned lanes = 8;
constexpr size_t block_bytes = aes_block_bytes;
using Block = AesBlock;

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

void round(Block &lane, const Block &block) { lane = aes_round(lane, block); }

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
  return processor_has(feature_aes) ? checksum_aes(data, bytes) : checksum_portable(data, bytes);
}

} // namespace skein
