// Finds out which pages are plain; see paging.h. A page is protected before it is read: what is written to it from then
// on makes it a written page again, whatever was found.
//
// paging_look_through reads without the lock, so memory may be unmapped meanwhile, and mapped again for a thread that
// arrives. Reading a page that has no contents gives it zeros, and then it does not count as missing. So what is read
// is noted, and memory that is mapped anew waits for the end of that (mapped_anew). That there is no page where one was
// missing is checked again when it comes (missing.cpp).
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "os/linux/page_faults.h"
#include "os/linux/process_memory.h"
#include "private/paging/tracked.h"

#include "abi/entry_points.h"

#include <atomic>
#include <unistd.h>

namespace skein {

namespace paging {

namespace {

constexpr unsigned address_shift =
    46; // addresses of programs, libraries, heaps and stacks begin with one bit: [2^46, 2^47)
static_assert(SKEIN_SHARED_END == UINT64_C(1) << address_shift);

/// Whether some word at a multiple of 8 has a value in the range. Words at other places are numbers, unless types of
/// the program say otherwise, and then nothing is left behind (migrate/lazy_moves.h).
bool plain(const void *at) {
  auto *words = static_cast<const uint64_t *>(at);
  uint64_t found = 0;
  for (size_t i = 0; i < page / sizeof *words; i++)
    found |= static_cast<uint64_t>(words[i] >> address_shift == 1);
  return found == 0;
}

/// Reads memory that may be gone. False: it is.
bool copy(uintptr_t from, size_t bytes, void *to) { return process_read(getpid(), from, to, bytes) == 0; }

constexpr unsigned ranges_most = 64;

// What paging_look_through reads; empty: nothing. Under the lock.
uintptr_t read_begin, read_end;
std::atomic<uint32_t> reads{0}; // that are over; whoever waits for one sleeps on it

} // namespace

void mapped_anew(uintptr_t begin, size_t bytes) {
  for (bool waited = false;; waited = true) {
    const uint32_t seen = reads.load(std::memory_order_acquire); // pairs with the end of a read
    lock.lock();
    const bool is_read = read_begin < begin + bytes && begin < read_end;
    lock.unlock();
    if (!is_read && waited)
      memory_discard(reinterpret_cast<void *>(begin), bytes);
    if (!is_read)
      return;
    futex_wait(reads, seen);
  }
}

void look_through(Region &region, uintptr_t end, void (*found)(uintptr_t begin, size_t bytes, void *context),
                  void *context) {
  PageRange ranges[ranges_most];
  region.looks++;
  for (uintptr_t at = region.begin; at < end;) {
    const int count = page_faults_written(at, end, ranges, ranges_most, 0, at);
    if (count < 0) { // the program has changed the mapping
      region.eager = true;
      return;
    }
    for (int i = 0; i < count; i++) {
      found(ranges[i].begin, ranges[i].end - ranges[i].begin, context);
      for (uintptr_t place = ranges[i].begin; place < ranges[i].end; place += page)
        if (plain(reinterpret_cast<const void *>(place)))
          region.unfit.clear(region.index(place), 1);
        else
          region.unfit.set(region.index(place), 1);
    }
  }
}

} // namespace paging

using namespace paging;

namespace {

/// One step of paging_look_through: some pages of one region.
struct Step {
  static constexpr size_t pages_most = 512; // one of 2 MiB in one piece: to protect less of it divides it
  uintptr_t region = 0;                     // its begin
  uint64_t looks;
  PageRange ranges[ranges_most];
  int count = 0;
  size_t pages = 0;

  /// Under the lock: protects pages that were written, from `turn` on, and sets it to where the next step begins. Until
  /// it is known what they are, they go along. False: there are no more regions.
  bool begin(uintptr_t &turn) {
    Region *next = nullptr;
    for (size_t i = 0; i < region_count && !next; i++)
      if (regions[i]->begin + regions[i]->bytes > turn && !regions[i]->left && !regions[i]->fetch)
        next = regions[i];
    if (!next)
      return false;
    region = next->begin;
    looks = ++next->looks;
    count =
        page_faults_written(turn > region ? turn : region, region + next->bytes, ranges, ranges_most, pages_most, turn);
    if (count < 0)
      next->eager = true;
    for (int i = 0; i < count; i++) {
      const size_t more = (ranges[i].end - ranges[i].begin) / page;
      next->unfit.set(next->index(ranges[i].begin), more);
      pages += more;
    }
    return true;
  }

  /// Without the lock, since a page that the program has given back in the meantime is missing until others, who need
  /// the lock, have filled it.
  void look(bool *is_plain) const {
    alignas(64) static unsigned char contents[16 * page]; // of the only kernel thread that does this
    for (int i = 0; i < count; i++)
      for (uintptr_t at = ranges[i].begin; at < ranges[i].end;) {
        const size_t bytes = ranges[i].end - at < sizeof contents ? ranges[i].end - at : sizeof contents;
        const bool there = copy(at, bytes, contents);
        for (size_t offset = 0; offset < bytes; offset += page)
          *is_plain++ = there && plain(contents + offset);
        at += bytes;
      }
  }

  /// Under the lock: if nobody has looked at the region since, these are known.
  void end(const bool *is_plain) const {
    Region *same = find(region);
    if (!same || same->begin != region || same->looks != looks)
      return;
    for (int i = 0; i < count; i++)
      for (uintptr_t at = ranges[i].begin; at < ranges[i].end; at += page)
        if (*is_plain++)
          same->unfit.clear(same->index(at), 1);
  }
};

} // namespace

size_t paging_look_through(size_t most) {
  static uintptr_t turn;
  size_t all = 0;
  for (bool around = false; all < most;) {
    Step step;
    bool is_plain[Step::pages_most];
    lock.lock();
    const bool any = step.begin(turn);
    if (step.count > 0) {
      paging::read_begin = step.ranges[0].begin;
      paging::read_end = step.ranges[step.count - 1].end;
    }
    lock.unlock();
    if (step.count > 0) {
      step.look(is_plain);
      lock.lock();
      step.end(is_plain);
      paging::read_begin = paging::read_end = 0;
      lock.unlock();
      paging::reads.fetch_add(1, std::memory_order_release);
      futex_wake(paging::reads, UINT32_MAX);
      all += step.pages * page;
    }
    if (any)
      continue;
    turn = 0;
    if (around)
      break;
    around = true;
  }
  return all;
}

} // namespace skein
