// The copies of other nodes' shared memory that this node has: lines, which of their bytes are good, for how long, and
// which line is given up for another. cache.h says what they are for and what must hold; cache.cpp sends and fetches.
//
//     set 0   [ line | line | ... 8 ways ]        The number of a line says which set it is in. Within a set a hand
//     goes set 1   [ line | line | ...        ]        round, and finds the next line that can be given up.
//
// Nothing here sends messages. Everything is under the lock of the object that owns the copies.
#ifndef SKEIN_DSM_COPIES_H
#define SKEIN_DSM_COPIES_H

#include "dsm/cache.h"
#include "dsm/intervals.h"

#include <atomic>
#include <cstdint>

namespace skein {

inline constexpr uint64_t line_bytes = 512;

/// A bit for each byte of a line.
struct Mask {
  static constexpr unsigned mask_words = line_bytes / 64;
  uint64_t words[mask_words];

  bool any() const {
    uint64_t all = 0;
    for (uint64_t word : words)
      all |= word;
    return all != 0;
  }
  bool at(uint64_t byte) const { return words[byte / 64] >> byte % 64 & 1; }
  void set(uint64_t from, uint64_t to, bool value = true) {
    for (uint64_t word = from / 64; word * 64 < to; word++) {
      uint64_t bits = UINT64_MAX;
      if (from > word * 64)
        bits &= UINT64_MAX << (from - word * 64);
      if (to < word * 64 + 64)
        bits &= (UINT64_C(1) << (to - word * 64)) - 1;
      words[word] = value ? words[word] | bits : words[word] & ~bits;
    }
  }
  bool all(uint64_t from, uint64_t to) const {
    Mask wanted{};
    wanted.set(from, to);
    for (unsigned i = 0; i < mask_words; i++)
      if (wanted.words[i] & ~words[i])
        return false;
    return true;
  }
  void add(const Mask &other) {
    for (unsigned i = 0; i < mask_words; i++)
      words[i] |= other.words[i];
  }
};

struct Line {
  uint64_t number;  // its address / line_bytes; 0: unused
  uint64_t epoch;   // of `have`
  uint64_t written; // Copies::writes when it was last written here, or when a write reached the owner
  uint64_t again;   // ledger epoch of the flights that wait for those under way; 0: none
  unsigned flights; // puts under way
  bool listed;      // in dirty_lines of cache.cpp
  Line *next_dirty;
  Mask have, dirty, flying;
  char data[line_bytes];
};

inline uint64_t number_of(uint64_t address) { return address / line_bytes; }

/// All copies of this node.
class Copies {
public:
  /// The line, or null.
  Line *find(uint64_t number);
  /// The line, perhaps a new one; null if nothing here can be given up.
  Line *claim(uint64_t number);
  /// Whether all of a line's [from, to) can be read here.
  bool readable(const Line *line, uint64_t from, uint64_t to, CacheMode mode) const;
  /// mode_of: the mode of all of [begin, end), or none if it has several. all_of: whether all of it has this mode.
  CacheMode mode_of(uint64_t begin, uint64_t end) const;
  bool all_of(uint64_t begin, uint64_t end, CacheMode mode) const;

  /// Keeps bytes that were fetched, except those that were written since. They were asked for in epoch `asked_epoch`,
  /// when `writes` was `asked_writes`.
  void keep(uint64_t begin, const char *data, uint64_t bytes, CacheMode mode, uint64_t asked_epoch,
            uint64_t asked_writes);
  /// A write has been made at the owner: copies of the same bytes get it, too.
  void written_through(uint64_t to, const char *from, uint64_t bytes);

  /// Changes the mode of a range. Copies of it are forgotten, and what is being fetched of it will not be kept. `make`:
  /// there will be copies.
  void set_mode(uint64_t begin, uint64_t bytes, CacheMode mode, bool make);
  bool made() const { return lines != nullptr; }

  std::atomic<uint64_t> epoch{1}; // any thread
  uint64_t writes = 0;            // how many were made here, or reached their owner
  Intervals modes;                // CacheMode

private:
  Line *set_of(uint64_t number);
  uint64_t written_of(uint64_t number);

  Line *lines = nullptr; // `sets` times the ways
  uint64_t sets = 0;
  uint32_t hand = 0;            // the way in which the search for a victim begins
  uint64_t written_evicted = 0; // the greatest `written` of lines that were evicted
};

} // namespace skein

#endif
