// A table that says what each address of an area is used for: values over ranges, kept as the sorted list of the places
// where the value changes. Value 0 is free, and everything behind the last place is free.
//
//     begins   0x1000  0x3000            0x8000  0x9000
//     values     3       0                 1       0
//
// There are few ranges (arrays, mappings), so the list is an array with binary search. The user's lock guards it.
#ifndef SKEIN_DSM_INTERVALS_H
#define SKEIN_DSM_INTERVALS_H

#include "base/grow.h"
#include "base/log.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace skein {

class Intervals {
public:
  Intervals() = default;
  Intervals(const Intervals &) = delete;

  uint8_t at(uint64_t address) const {
    const size_t above = first_above(address);
    return above ? changes_[above - 1].value : 0;
  }

  /// Whether `accept` is true of the value of every address in [begin, end). Of an empty range, the value at its begin
  /// is looked at.
  template <class Accept> bool all(uint64_t begin, uint64_t end, Accept &&accept) const {
    if (!accept(at(begin)))
      return false;
    for (size_t i = first_above(begin); i < count_ && changes_[i].begin < end; i++)
      if (!accept(changes_[i].value))
        return false;
    return true;
  }

  void set(uint64_t begin, uint64_t end, uint8_t value) {
    if (begin >= end)
      return;
    const uint8_t after = at(end), before = begin ? at(begin - 1) : 0;
    const size_t from = first_above(begin - 1), to = first_above(end); // changes inside, `end` included, go
    Change fresh[2];
    size_t added = 0;
    if (before != value)
      fresh[added++] = {begin, value};
    if (after != value)
      fresh[added++] = {end, after};
    replace(from, to - from, fresh, added);
  }

  /// The first free range of `bytes`, a multiple of `grain`, in [from, to), with a free grain before it; `to` if there
  /// is none.
  uint64_t find_free(uint64_t from, uint64_t to, uint64_t bytes, uint64_t grain) const {
    uint64_t begin = from;
    for (size_t i = 0; i <= count_; i++) {
      const uint64_t end = i < count_ ? changes_[i].begin : to;
      const bool is_free = i == 0 || changes_[i - 1].value == 0;
      if (is_free && end > begin && end - begin >= bytes + 2 * grain)
        return begin + grain;
      if (i < count_ && changes_[i].begin > begin)
        begin = changes_[i].begin;
    }
    return to;
  }

  /// Calls function(begin, end, value) for each range that is not free.
  template <class Function> void each(Function &&function) const {
    for (size_t i = 0; i + 1 < count_; i++)
      if (changes_[i].value)
        function(changes_[i].begin, changes_[i + 1].begin, changes_[i].value);
  }

private:
  struct Change {
    uint64_t begin;
    uint8_t value;
  };

  /// The first change that lies above an address.
  size_t first_above(uint64_t address) const {
    size_t low = 0, high = count_;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (changes_[middle].begin > address)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  void replace(size_t from, size_t gone, const Change *fresh, size_t added) {
    if (!grow(changes_, count_ - gone + added, capacity_, size_t{16}))
      fatal("out of memory for more than %zu ranges of shared memory", capacity_);
    if (const size_t behind = count_ - from - gone)
      memmove(changes_ + from + added, changes_ + from + gone, behind * sizeof(Change));
    if (added)
      memcpy(changes_ + from, fresh, added * sizeof(Change));
    count_ = count_ - gone + added;
  }

  Change *changes_ = nullptr;
  size_t count_ = 0, capacity_ = 0;
};

} // namespace skein

#endif
