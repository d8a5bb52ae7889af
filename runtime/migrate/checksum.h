// The checksum of an image: CRC32C in four lanes.
//
// Word i of the data (64 bits, little-endian) goes to lane i mod 4; each lane is an ordinary CRC32C (Castagnoli, as the
// crc32 instruction computes it, started with all ones) of its words one after the other. The result is the CRC32C of
// four words, lane l's value times checksum_factor + 2 l (modulo 2^64), lane 0 first.
//
// Lanes, because the instruction takes three cycles but can start every cycle: one chain checks 2.7 bytes a cycle, four
// independent ones 8. Any damage within one word changes the result for certain (the factors are odd, so nothing is
// lost), other damage with 1 - 2^-32. Without the factors all would be linear, and a swap of word i of lane 0 with word
// i - 1 of lane 2 would cancel out.
//
// Rejected: xxh3 (a packaged header that a bare system lacks), a sum (misses swapped words).
#ifndef SKEIN_MIGRATE_CHECKSUM_H
#define SKEIN_MIGRATE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

namespace skein {

inline constexpr uint64_t checksum_factor = 0x9E3779B97F4A7C15;

// `bytes` is a multiple of 8, `data` 8-aligned.
uint32_t checksum(const void *data, size_t bytes);

// The same without the instruction, for processors that lack it and for the tests.
uint32_t checksum_portable(const void *data, size_t bytes);

} // namespace skein

#endif
