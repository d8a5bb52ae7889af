// The bytes of a node's file (docs/wire-format.md, part 8).
//
//     +-------------+  0
//     | StoreHeader |  written last; until then zeros
//     +-------------+  first_chunk_at
//     | chunks      |  in no order; what is sealed has its tag behind it
//     +-------------+  header.tail_at
//     | holders     |  names of other files, for everybody to read
//     | index       |  StoreEntry of each chunk, by address; sealed
//     | head        |  the caller's; sealed
//     +-------------+  header.bytes
//
// Rejected: a chain of differences, each to the file before, which the reader would have to follow to the first one;
// chunks found by their contents alone, since pages of different addresses are rarely the same, and a table of all
// contents would cost more than that saves.
#ifndef SKEIN_CHECKPOINT_STORE_STORE_FORMAT_H
#define SKEIN_CHECKPOINT_STORE_STORE_FORMAT_H

#include "base/aegis.h"

#include <cstddef>
#include <cstdint>

namespace skein::store {

inline constexpr char store_magic[8] = {'S', 'K', 'E', 'I', 'N', 'C', 'K', 'P'};
inline constexpr uint16_t store_version = 1;

inline constexpr size_t page_bytes = 4096, chunk_bytes = 65536, chunk_pages = chunk_bytes / page_bytes;
inline constexpr uint64_t address_end = UINT64_C(1) << 47; // of a process's memory
inline constexpr uint64_t first_chunk_at = 4096;
inline constexpr size_t id_bytes = 16, tag_bytes = aegis_tag_bytes, key_bytes = aegis_key_bytes;
inline constexpr size_t name_max = 4095;
inline constexpr uint64_t head_max = UINT64_C(1) << 30;
/// So many files are referred to at most. Else the last changed page of every checkpoint would keep its file for ever.
inline constexpr unsigned holders_max = 8;

struct StoreHeader {
  char magic[8];
  uint16_t version;
  uint8_t sealed;
  uint8_t zero;
  uint32_t holders;
  uint64_t bytes; // of the file
  uint8_t id[id_bytes];
  uint8_t digest_key[key_bytes]; // that of the file before, if there is one, so that digests can be compared
  uint64_t key_id;               // says nothing about the key; 0: not sealed
  uint64_t tail_at;
  uint64_t holders_bytes;
  uint64_t chunks;
  uint64_t head_bytes;
  uint8_t holders_digest[tag_bytes];
  uint8_t index_tag[tag_bytes]; // if not sealed, digests
  uint8_t head_tag[tag_bytes];
  uint8_t tag[tag_bytes]; // sealed: of all before, with the key
  uint8_t digest[tag_bytes];
};
static_assert(sizeof(StoreHeader) == 176);

enum class Coding : uint8_t {
  raw = 0,
  zstd = 1,
};

/// The data of a chunk are its pages `data`, one behind the other.
struct StoreEntry {
  uint64_t address;
  uint64_t offset; // in the file that holds it
  uint32_t stored; // bytes there, with the tag; 0: there are only zeros
  uint16_t holder; // 0: this file; else the number, from 1, of another
  uint16_t there;  // pages that are there, a bit each
  uint16_t data;   // of these, which hold something but zeros
  Coding coding;
  uint8_t zero[5];
  uint8_t digest[tag_bytes]; // of the data, under digest_key, with address, there and data
};
static_assert(sizeof(StoreEntry) == 48);

/// Before each name.
struct StoreHolder {
  uint8_t id[id_bytes];
  uint16_t name_bytes;
};
inline constexpr size_t holder_bytes = id_bytes + 2;

inline size_t data_bytes(const StoreEntry &entry) {
  return static_cast<size_t>(__builtin_popcount(entry.data)) * page_bytes;
}

} // namespace skein::store

#endif
