// The checksum of an image: rounds of AES in eight lanes.
//
// The data are blocks of 16 bytes; the last one may be half, and is filled up with zeroes. Lane l of eight is 16 bytes,
// at first two numbers, little-endian: checksum_factor * (2 l + 1) and checksum_factor * (2 l + 2) (modulo 2^64). Block
// i goes to lane i mod 8:
//
//     lane = R(lane) ^ block          R: SubBytes, ShiftRows, MixColumns of FIPS 197
//
// which is what the instruction aesenc does. In the end lanes 4 to 7 go to 0 to 3 as blocks do, then 2 and 3 to 0 and
// 1, then 1 to 0; then a block of two numbers, how many bytes the data have and 0; then one of zeroes. The first four
// bytes of lane 0, little-endian, are the checksum.
//
// R is one to one. So whatever is damaged in one block changes its lane for certain, and nothing else that comes to the
// lane changes it back; and since R is not linear, and spreads each byte over four, neither a swap of blocks nor a few
// bits in several places cancel out. The last two rounds spread every byte over all. The 32 bits that are left let any
// damage pass with 2^-32.
//
// The instruction takes four cycles but two can start in each, so eight lanes keep it busy: 32 bytes a cycle. Rejected:
// CRC32C, which this has replaced (8 bytes a cycle at best: it was the greatest single piece of a move of 1 KiB); sums
// of sums in vectors (no faster than CRC32C at this size); xxh3 (a packaged header that a bare system lacks).
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
