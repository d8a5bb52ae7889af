// Copies of other nodes' shared memory as they lie here: lines, which bytes of them are good, for how long, and which
// line gives way to another. cache.h says what they are for and what holds; how they travel is cache.cpp.
//
//     set 0   [ line | line | ... 8 ways ]        a line's number says which set it is in; within a set a hand goes
//     set 1   [ line | line | ...        ]        round for the next that can be given up
//
// Not in here: messages. Everything is under one lock, the owner's.
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
  uint64_t written; // count of writes when it was last written here, or what was written reached its owner
  uint64_t again;   // ledger epoch of a flight that waits for the one under way; 0: none
  unsigned flights; // puts under way
  bool listed;      // in `dirty_lines`
  Line *next_dirty;
  Mask have, dirty, flying;
  char data[line_bytes];
};

inline uint64_t number_of(uint64_t address) { return address / line_bytes; }

/// All of them, under the lock of whoever owns this.
class Copies {
public:
  /// The line, or null.
  Line *find(uint64_t number);
  /// The line, perhaps a new one; null if nothing here can be given up.
  Line *claim(uint64_t number);
  /// Whether all of a line's [from, to) can be read here.
  bool readable(const Line *line, uint64_t from, uint64_t to, CacheMode mode) const;
  /// The mode of all of [begin, end), or none; whether that is the mode of all of it.
  CacheMode mode_of(uint64_t begin, uint64_t end) const;
  bool all_of(uint64_t begin, uint64_t end, CacheMode mode) const;

  /// What was fetched is kept, as far as nothing has overtaken it: asked for in `epoch`, after `writes`.
  void keep(uint64_t begin, const char *data, uint64_t bytes, CacheMode mode, uint64_t asked_epoch,
            uint64_t asked_writes);
  /// A write has been made at the owner.
  void written_through(uint64_t to, const char *from, uint64_t bytes);

  /// The mode of a range changes; what was had of it, or is being fetched, is not kept. `make`: there will be copies.
  void set_mode(uint64_t begin, uint64_t bytes, CacheMode mode, bool make);
  bool made() const { return lines != nullptr; }

  std::atomic<uint64_t> epoch{1}; // any thread
  uint64_t writes = 0;            // counted
  Intervals modes;                // CacheMode

private:
  Line *set_of(uint64_t number);
  uint64_t written_of(uint64_t number);

  Line *lines = nullptr; // `sets` times the ways
  uint64_t sets = 0;
  uint32_t hand = 0;            // which way is looked at first for a victim
  uint64_t written_evicted = 0; // the greatest `written` of lines that are here no more
};

} // namespace skein

#endif
