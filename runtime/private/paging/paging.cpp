// The table of tracked regions, and what happens to regions; see paging.h.
#include "private/paging/paging.h"

#include "base/grow.h"
#include "base/knobs.h"
#include "base/log.h"
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "os/linux/page_faults.h"
#include "private/globals/globals.h"
#include "private/heap/heap.h"
#include "private/paging/tracked.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

namespace skein {

bool paging_on;
PagingCounts paging_counts;

namespace paging {

Mutex lock;
Region **regions; // by address
size_t region_count;

namespace {

size_t region_capacity;

/// The first region that does not end before or at the address.
size_t position(uintptr_t address) {
  size_t low = 0, high = region_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (regions[middle]->begin + regions[middle]->bytes <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

} // namespace

bool PageBits::make(size_t pages) {
  pages_ = pages;
  // Of a mapping only those pages are made that are touched.
  words_ = static_cast<uint64_t *>(bytes() < page ? calloc(1, bytes()) : memory_allocate(bytes()));
  if (!words_)
    return false;
  parts_ = reinterpret_cast<Part *>(words_ + words());
  return true;
}

void PageBits::drop() {
  if (words_ && bytes() >= page)
    memory_free(words_, bytes());
  else
    free(words_);
  words_ = nullptr;
}

void PageBits::change_words(size_t first, size_t end, bool to) {
  for (size_t at = first; at < end;) {
    const size_t bit = at % 64, bits = end - at < 64 - bit ? end - at : 64 - bit;
    const uint64_t mask = (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1) << bit;
    if (to)
      words_[at / 64] |= mask;
    else
      words_[at / 64] &= ~mask;
    at += bits;
  }
}

void PageBits::change(size_t first, size_t count, bool to) {
  const Part wanted = to ? Part::set : Part::clear;
  for (size_t at = first, end = first + count; at < end;) {
    Part &part = parts_[at / part_pages];
    const size_t begin = at - at % part_pages, behind = begin + part_pages < pages_ ? begin + part_pages : pages_;
    const size_t stop = end < behind ? end : behind;
    if (at == begin && stop == behind) {
      part = wanted;
    } else if (part != wanted) {
      if (part != Part::mixed)
        change_words(begin, behind, !to);
      part = Part::mixed;
      change_words(at, stop, to);
    }
    at = stop;
  }
}

size_t PageBits::count(size_t first, size_t count) const {
  size_t set = 0;
  for (size_t at = first, end = first + count; at < end; at = next(at, end, true)) {
    const size_t stop = next(at, end, false);
    set += (*this)[at] ? stop - at : 0;
    at = stop;
  }
  return set;
}
size_t PageBits::next_in_words(size_t first, size_t end, bool value) const {
  while (first < end) {
    uint64_t word = words_[first / 64];
    word = (value ? word : ~word) >> (first % 64);
    if (word) {
      first += static_cast<size_t>(__builtin_ctzll(word));
      return first < end ? first : end;
    }
    first += 64 - first % 64;
  }
  return end;
}

size_t PageBits::next(size_t first, size_t end, bool value) const {
  while (first < end) {
    const Part part = parts_[first / part_pages];
    const size_t behind = first - first % part_pages + part_pages, stop = end < behind ? end : behind;
    if (part == (value ? Part::set : Part::clear))
      return first;
    if (part == Part::mixed)
      first = next_in_words(first, stop, value);
    else
      first = stop;
    if (first < stop)
      return first;
  }
  return end;
}

Region *find(uintptr_t address) {
  const size_t at = position(address);
  return at < region_count && regions[at]->begin <= address ? regions[at] : nullptr;
}

void remove(Region *region) {
  if (region->fetch)
    end_fetching(*region);
  page_faults_forget(region->begin, region->bytes); // it may stay mapped
  page_faults_wake(region->begin, region->bytes);
  const size_t at = position(region->begin);
  region_count--;
  memmove(regions + at, regions + at + 1, (region_count - at) * sizeof *regions);
  region->unfit.drop();
  free(region);
}

void give_back(Region *region) {
  memory_free(reinterpret_cast<void *>(region->begin), region->bytes);
  remove(region);
}

} // namespace paging

using namespace paging;

namespace {

/// Of private globals only a copy is followed that could be a reason to leave some: a smaller one is not worth what the
/// kernel is asked for each thread.
bool followed(const Extent &extent) {
  return paging_may_leave(extent.kind) && (extent.kind != ExtentKind::globals || extent.bytes >= knobs.lazy_least);
}

/// Of a region from here on the kernel is asked for pages of 2 MiB. It tells of such a page at once whether it was
/// written, and divides it when it is. What is used of so much memory is mostly used side by side.
constexpr size_t huge_least = 64 << 20;

/// The child of a fork is no node, and has no other thread's memory.
void in_child() {
  lock.reset();
  paging_on = false;
  page_faults_forked();
}
/// Missing pages would be zero there.
void before_fork() {
  if (paging_on)
    paging_wait(0);
}

} // namespace

const char *paging_start() {
  if constexpr (private_end > SKEIN_SHARED_END)
    return "a sanitizer has private memory among programs and libraries";
  if (page_bytes() != page)
    return "pages have not 4 KiB";
  if (!heap_pointers_aligned() || !globals_pointers_aligned())
    return "a type or private variable of the program has pointers at odd places (a packed struct)";
  if (const char *why = page_faults_start())
    return why;
  pthread_atfork(before_fork, nullptr, in_child);
  return nullptr;
}

void paging_reborn() {
  lock.reset(); // a kernel thread that does not exist may have had it
  paging_on = false;
  page_faults_reborn();
  for (size_t i = 0; i < region_count; i++) {
    regions[i]->unfit.drop();
    free(regions[i]);
  }
  region_count = 0;
}

bool paging_may_leave(ExtentKind kind) {
  return kind == ExtentKind::heap || kind == ExtentKind::large || kind == ExtentKind::globals;
}

void paging_mapped(const Thread &thread, const Extent &extent) {
  if (!paging_on || !followed(extent))
    return;
  const size_t bytes = region_bytes(extent.region);
  auto *region = static_cast<Region *>(calloc(1, sizeof(Region)));
  if (!region)
    return; // it is not tracked, and goes along with its thread as it always did
  *region = {};
  region->begin = extent.begin;
  region->bytes = bytes;
  region->thread = thread.id;
  mapped_anew(extent.begin, bytes);
  if (bytes >= huge_least)
    memory_huge_pages(reinterpret_cast<void *>(extent.begin), bytes, true);
  if (!region->unfit.make(bytes / page) || !page_faults_watch(extent.begin, bytes)) {
    region->unfit.drop();
    free(region);
    return;
  }
  lock.lock();
  if (Region *former = find(extent.begin))
    fatal("memory at %#zx is mapped for thread %s, and is tracked for thread %s already", extent.begin,
          thread_name(thread.id).text, thread_name(former->thread).text);
  const size_t at = position(extent.begin);
  if (grow(regions, region_count, region_capacity, size_t{64})) {
    memmove(regions + at + 1, regions + at, (region_count - at) * sizeof *regions);
    regions[at] = region;
    region_count++;
  } else {
    region->unfit.drop();
    free(region);
  }
  lock.unlock();
}

void paging_ends(const Extent &extent) {
  if (!paging_on)
    return;
  lock.lock();
  if (Region *region = find(extent.begin))
    remove(region);
  lock.unlock();
  paging_work();
}

bool paging_departs(const Extent &extent) {
  if (!paging_on)
    return false;
  lock.lock();
  Region *region = find(extent.begin);
  const bool stays = region && region->left && !region->over;
  if (stays) {
    region->settled = true;
  } else if (region) {
    if (region->fetch) // it could not be restored, and may yet be: the source keeps what it has
      region->fetch->untold = true;
    remove(region);
  }
  lock.unlock();
  return stays;
}

void paging_taken(uintptr_t begin, size_t bytes) {
  if (!paging_on)
    return;
  lock.lock();
  for (size_t at = position(begin); at < region_count && regions[at]->begin < begin + bytes && regions[at]->settled;)
    give_back(regions[at]);
  lock.unlock();
}

} // namespace skein
