// The table of tracked regions, for the files of this folder only; see paging.h.
#ifndef SKEIN_PRIVATE_PAGING_TRACKED_H
#define SKEIN_PRIVATE_PAGING_TRACKED_H

#include "os/linux/mutex.h"
#include "private/paging/paging.h"

namespace skein::paging {

inline constexpr size_t page = 4096;

/// One bit for each page of a region. A *part*, 16 MiB of the region, says first whether its bits are all alike, and
/// its words are touched only if they are not: of a large region that arrives they mostly are, and nobody has to write,
/// or to look at, as many words as it has pages.
class PageBits {
public:
  /// All are clear. False without memory.
  bool make(size_t pages);
  void drop();
  explicit operator bool() const { return words_ != nullptr; }
  bool operator[](size_t at) const {
    const Part part = parts_[at / part_pages];
    return part == Part::mixed ? (words_[at / 64] >> (at % 64) & 1) != 0 : part == Part::set;
  }
  void set(size_t first, size_t count) { change(first, count, true); }
  void clear(size_t first, size_t count) { change(first, count, false); }
  size_t count(size_t first, size_t count) const;
  /// The first page in [first, end) whose bit has that value, or `end`.
  size_t next(size_t first, size_t end, bool value) const;

private:
  static constexpr size_t part_pages = 4096;
  enum class Part : uint8_t { clear, set, mixed };

  size_t words() const { return (pages_ + 63) / 64; }
  size_t bytes() const { return words() * sizeof(uint64_t) + (pages_ + part_pages - 1) / part_pages; }
  void change(size_t first, size_t count, bool to);
  void change_words(size_t first, size_t end, bool to);
  size_t next_in_words(size_t first, size_t end, bool value) const;
  uint64_t *words_ = nullptr; // with the parts behind them
  Part *parts_ = nullptr;
  size_t pages_ = 0;
};

struct Region;

/// The missing pages of one thread.
struct Fetch {
  uint64_t thread, number;
  int from;
  bool untold; // the source is not told that it is over
  uint32_t under_way;
  size_t left, all;  // pages
  uint64_t began_ns; // when the thread arrived
  Region *regions;   // with missing pages
  Fetch *next;
};

struct Region {
  uintptr_t begin;
  size_t bytes;
  uint64_t thread;
  bool eager;     // a move that left pages behind was refused
  PageBits unfit; // pages that are not plain, or may not be, as far as they were not written since
  uint64_t looks; // how often a part of it was looked through
  // At the source.
  uint64_t left; // the number; 0: its thread is here
  int left_to;
  bool settled; // the thread has left, so that all of this is only kept to be fetched
  bool over;    // nobody fetches
  // At the destination.
  Fetch *fetch;            // null: no page is missing
  PageBits missing, asked; // asked: missing, and under way
  size_t missing_end;      // pages of which some were missing; one that loses its contents has to be filled by us
  size_t turn;             // the page to be asked for next
  Region *next_of_fetch;

  size_t index(uintptr_t address) const { return (address - begin) / page; }
};

extern Mutex lock;
/// Under the lock: the region that has the address, or null.
Region *find(uintptr_t address);
/// Under the lock: calls visit for all regions, which must not be removed meanwhile.
template <class Visit> void each(Visit &&visit);
extern Region **regions;
extern size_t region_count;
template <class Visit> void each(Visit &&visit) {
  for (size_t i = 0; i < region_count; i++)
    visit(*regions[i]);
}
/// Under the lock: the region is not tracked any more. Its missing pages are wanted no more.
void remove(Region *region);
/// Under the lock: unmaps what a thread that has left has left, and removes it.
void give_back(Region *region);
/// Under the lock: none of its pages are missing any more, or wanted.
void end_fetching(Region &region);

/// Without the lock: memory was mapped there just now. Waits as long as paging_look_through reads there, for a region
/// that was there before, and takes away the zeros that this has put there: if pages of this memory are missing, nobody
/// would know.
void mapped_anew(uintptr_t begin, size_t bytes);

/// Under the lock: looks through all pages of the region before `end` that were written, and calls found(begin, bytes,
/// context) for them. Its thread is suspended.
void look_through(Region &region, uintptr_t end, void (*found)(uintptr_t begin, size_t bytes, void *context),
                  void *context);

} // namespace skein::paging

#endif
