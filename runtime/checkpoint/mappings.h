// The mappings of this process, and which of their pages have contents, as the kernel tells them.
//
// Nothing here allocates memory by malloc, since a process that writes a copy of itself must not change what it writes.
// All is kept in a mapping of its own, which is not listed.
#ifndef SKEIN_CHECKPOINT_MAPPINGS_H
#define SKEIN_CHECKPOINT_MAPPINGS_H

#include "checkpoint/copied.h"

#include <cstddef>
#include <cstdint>

namespace skein {

struct PageSpan {
  uint64_t begin, end;
  bool overlaps(uint64_t from, uint64_t to) const { return begin < to && from < end; }
};

struct Mapping {
  Region region;
  uint64_t file_bytes; // of a private mapping of a file: so much of it, from `begin` on, is there to be read; else 0
  bool has_pages;      // in memory, or swapped out
};

class Mappings {
public:
  Mappings() = default;
  Mappings(const Mappings &) = delete;
  ~Mappings();

  /// Lists all of them, in ascending order, but for those that lie in `without`. False: `words` says why.
  bool read(const PageSpan *without, size_t without_count, char *words, size_t bytes);
  const Mapping *begin() const { return all_; }
  const Mapping *end() const { return all_ + count_; }
  size_t count() const { return count_; }
  /// The memory that the list takes.
  PageSpan own() const {
    return {reinterpret_cast<uint64_t>(memory_), reinterpret_cast<uint64_t>(memory_) + memory_bytes_};
  }

private:
  bool note(char *line, char *words, size_t bytes);
  bool note_flags(const char *flags, char *words, size_t bytes);
  static constexpr size_t memory_bytes_ = 96 << 20; // of which what is used is memory
  static constexpr size_t mappings_most_ = 1 << 20;
  char *memory_ = nullptr;
  Mapping *all_ = nullptr;
  size_t count_ = 0;
  bool skips_ = false; // lines about a mapping that is not listed
};

/// A number that tells the kernels apart whose vDSO differs.
uint64_t vdso_digest(const Mappings &mappings);

/// Finds pages of this process.
class PageFinder {
public:
  PageFinder();
  PageFinder(const PageFinder &) = delete;
  ~PageFinder();
  /// Why the kernel does not tell, or null. To be asked first.
  const char *fault() const;
  /// The next pages with contents in [at, end) of a mapping, and sets `at` behind them. False: there are no more. Of a
  /// private mapping of a file, what the file has counts as contents.
  bool contents(const Mapping &mapping, uint64_t &at, PageSpan &found) const;
  /// The same for pages that are guards (MADV_GUARD_INSTALL).
  bool guards(const Mapping &mapping, uint64_t &at, PageSpan &found) const;

private:
  bool scan(uint64_t begin, uint64_t end, bool guards, PageSpan &found) const;
  bool look(uint64_t begin, uint64_t end, PageSpan &found) const;
  int pagemap_;
  bool has_scan_, tells_guards_, has_guards_;
};

} // namespace skein

#endif
