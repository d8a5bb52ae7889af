// The checksum of an image: rounds of AES in eight lanes.
//
// The data are blocks of 16 bytes; a last block of 8 is filled up with zeroes. Each of eight lanes has 16 bytes. At
// first lane l is two little-endian numbers, checksum_factor * (2 l + 1) and checksum_factor * (2 l + 2) (modulo 2^64).
// Block
// i goes to lane i mod 8:
//
//     lane = R(lane) ^ block          R: SubBytes, ShiftRows, MixColumns of FIPS 197
//
// which is what the instruction aesenc does. At the end lanes 4 to 7 are added to lanes 0 to 3 in the same way as
// blocks, then 2 and 3 to 0 and 1, then 1 to 0. Then follow a block of two numbers, the number of bytes and 0, and a
// block of zeroes. The first four bytes of lane 0, little-endian, are the checksum.
//
// R is one to one. So damage in one block changes its lane for certain, and nothing else that goes into the lane
// changes it back. R is not linear and spreads each byte over four, so neither a swap of blocks nor a few bits in
// several places cancel out. The last two rounds spread every byte over all. Since only 32 bits are kept, damage passes
// with a probability of 2^-32.
//
// The instruction takes four cycles, but two can start in each cycle, so eight lanes keep it busy: 32 bytes a cycle.
// Rejected: CRC32C, which this has replaced (8 bytes a cycle at best; it was the largest single cost of a move of 1
// KiB); sums of sums in vectors (no faster than CRC32C at this size); xxh3 (a header that a bare system lacks).
#ifndef SKEIN_MIGRATE_CHECKSUM_H
#define SKEIN_MIGRATE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

namespace skein {

inline constexpr uint64_t checksum_factor = 0x9E3779B97F4A7C15;

// `bytes` is a multiple of 8.
uint32_t checksum(const void *data, size_t bytes);

// The same without the instruction, for processors that lack it and for the tests.
uint32_t checksum_portable(const void *data, size_t bytes);

} // namespace skein

#endif
