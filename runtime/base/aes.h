// One round of AES, without the processor's instruction (FIPS 197).
#ifndef SKEIN_BASE_AES_H
#define SKEIN_BASE_AES_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace skein {

inline constexpr size_t aes_block_bytes = 16;
struct AesBlock {
  unsigned char byte[aes_block_bytes];
};

/// What a byte of row 0 adds to its column: MixColumns of SubBytes of it. For the other rows it is the same, rotated.
struct AesTable {
  uint32_t column[256];
  constexpr AesTable() : column() {
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
inline constexpr AesTable aes_table;

/// R(block) ^ key, where R is SubBytes, ShiftRows and MixColumns: what the instruction aesenc does.
inline AesBlock aes_round(const AesBlock &block, const AesBlock &key) {
  AesBlock next;
  for (unsigned c = 0; c < 4; c++) {
    uint32_t column;
    std::memcpy(&column, key.byte + 4 * c, sizeof column);
    for (unsigned row = 0; row < 4; row++) { // ShiftRows: the byte comes from the column that many places further on
      const uint32_t added = aes_table.column[block.byte[4 * ((c + row) % 4) + row]];
      column ^= row == 0 ? added : added << 8 * row | added >> (32 - 8 * row);
    }
    std::memcpy(next.byte + 4 * c, &column, sizeof column);
  }
  return next;
}

} // namespace skein

#endif
