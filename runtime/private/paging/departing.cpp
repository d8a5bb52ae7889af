// The source of a move that leaves pages behind; see paging.h.
#include "base/assert.h"
#include "base/grow.h"
#include "base/log.h"
#include "os/linux/memory.h"
#include "os/linux/page_faults.h"
#include "private/heap/heap.h"
#include "private/paging/tracked.h"

#include <cstdlib>
#include <cstring>
#include <skein/skein.h>

namespace skein {

using namespace paging;

namespace {

/// What a thread has written last goes along, since it is what it will touch first.
constexpr size_t recent_most = 64 * page;
/// Pages that go along in any case: the head of an extent, and the state of the heap.
constexpr size_t fixed_most = 64;

uint64_t numbers;               // under the lock
bool fetching_peers[nodes_max]; // under the lock

/// Pages of a region that go along although they are plain: they are marked as unfit while this lives. A map of bits of
/// their own would take as long to look through as the region has pages.
class Along {
public:
  explicit Along(Region &region) : region_(region) {}
  Along(const Along &) = delete;
  ~Along() {
    for (size_t i = 0; i < count_; i++)
      region_.unfit.clear(pages_[i], 1);
  }
  void add(size_t first, size_t count) {
    for (size_t at = first; at < first + count; at++)
      if (!region_.unfit[at]) {
        region_.unfit.set(at, 1);
        pages_[count_++] = at;
      }
  }

private:
  Region &region_;
  size_t pages_[recent_most / page + fixed_most];
  size_t count_ = 0;
};

/// The pages that were written since the region was last looked through, as far as there is room.
struct Recent {
  PageRun runs[recent_most / page];
  size_t count, room;
};

void note_recent(uintptr_t begin, size_t bytes, void *context) {
  auto &recent = *static_cast<Recent *>(context);
  if (bytes > recent.room)
    bytes = recent.room;
  if (bytes)
    recent.runs[recent.count++] = {begin, bytes};
  recent.room -= bytes;
}

} // namespace

Leaving::~Leaving() {
  free(places_);
  free(runs_);
}

const Leaving::Place *Leaving::place_of(uintptr_t begin) const {
  uint32_t low = 0, high = place_count_;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (places_[middle].begin < begin)
      low = middle + 1;
    else
      high = middle;
  }
  return low < place_count_ && places_[low].begin == begin ? &places_[low] : nullptr;
}

bool Leaving::add_run(uintptr_t begin, size_t bytes) {
  if (!grow(runs_, run_count_, run_capacity_, uint32_t{64}))
    return false;
  runs_[run_count_++] = {begin, bytes};
  return true;
}

bool Leaving::each_run(const Extent &extent, bool (*visit)(uintptr_t begin, size_t bytes, void *context),
                       void *context) const {
  const Place &place = *place_of(extent.begin);
  for (uint32_t i = 0; i < place.count; i++)
    if (!visit(runs_[place.first + i].begin, runs_[place.first + i].bytes, context))
      return false;
  return true;
}

bool paging_leave(const Thread &thread, int to, Leaving &leaving, const char *&why) {
  const Private &owned = *thread.owned;
  why = "no memory";
  lock.lock();
  struct Unlock {
    ~Unlock() { lock.unlock(); }
  } unlock;
  if (!fetching_peers[to]) {
    why = "the other node does not fetch pages from here: it is on another host, or its system cannot";
    return false;
  }
  Recent recent;
  recent.room = recent_most;
  bool tracked = false;
  for (uint32_t i = 0; i < owned.count; i++) {
    const Extent &extent = owned.extents[i];
    Region *region = find(extent.begin);
    if (!region || region->begin != extent.begin || region->thread != thread.id)
      continue;
    if (region->eager) {
      why = "a move that left pages behind was refused before";
      return false;
    }
    const size_t pages = extent.bytes / page;
    recent.count = 0;
    look_through(*region, extent.end(), note_recent, &recent);
    Along along(*region);
    for (size_t k = 0; k < recent.count; k++)
      along.add(region->index(recent.runs[k].begin), recent.runs[k].bytes / page);
    const auto read_first = [&](uintptr_t begin, size_t bytes) { // by the destination, before the thread runs
      const size_t first = region->index(begin), count = region->index(begin + bytes - 1) + 1 - first;
      SKEIN_ASSERT(count <= fixed_most / 2, "%zu pages of the heap's state", count);
      along.add(first, count);
    };
    read_first(extent.begin, large_header_bytes);
    if (owned.heap && extent.contains(reinterpret_cast<uintptr_t>(owned.heap)))
      read_first(reinterpret_cast<uintptr_t>(owned.heap), heap_state_bytes());
    bool added = grow(leaving.places_, leaving.place_count_, leaving.place_capacity_, uint32_t{8});
    if (added)
      leaving.places_[leaving.place_count_++] = {extent.begin, leaving.run_count_, 0};
    for (size_t at = 0; added && (at = region->unfit.next(at, pages, true)) < pages;) {
      const size_t end = region->unfit.next(at, pages, false);
      added = leaving.add_run(extent.begin + at * page, (end - at) * page);
      at = end;
    }
    if (!added || region->eager)
      return false;
    Leaving::Place &place = leaving.places_[leaving.place_count_ - 1];
    place.count = leaving.run_count_ - place.first;
    if (place.count == 1 && leaving.runs_[place.first].bytes == extent.bytes) {
      // Nothing would be fetched, so the destination would never tell that it is over.
      leaving.run_count_ = place.first;
      leaving.place_count_--;
    }
    tracked = true;
  }
  if (leaving.place_count_ == 0) {
    why = tracked ? "all of it was written lately, or leads elsewhere" : "its memory is not tracked";
    return false;
  }
  leaving.number_ = ++numbers;
  for (uint32_t i = 0; i < leaving.place_count_; i++) {
    Region &region = *find(leaving.places_[i].begin);
    region.left = leaving.number_;
    region.left_to = to;
    region.settled = region.over = false;
  }
  return true;
}

void paging_stayed(const Thread &thread, bool refused) {
  if (!paging_on || !thread.owned)
    return;
  lock.lock();
  for (uint32_t i = 0; i < thread.owned->count; i++)
    if (Region *region = find(thread.owned->extents[i].begin); region && region->left) {
      region->left = 0;
      region->eager = refused;
    }
  lock.unlock();
}

bool paging_fetched_by(int peer) {
  lock.lock();
  const bool fetches = fetching_peers[peer];
  lock.unlock();
  return fetches;
}

void paging_peer(int peer, bool fetches) {
  lock.lock();
  fetching_peers[peer] = fetches;
  for (size_t i = region_count; !fetches && i-- > 0;) {
    Region *region = regions[i];
    if (!region->left || region->left_to != peer)
      continue;
    region->over = true;
    if (region->settled)
      give_back(region);
  }
  lock.unlock();
}

namespace {

/// Under the lock: the region of which node `peer` may ask for these pages by that number, or null.
Region *asked_region(int peer, uint64_t number, uintptr_t begin, size_t bytes) {
  Region *region = find(begin);
  const bool may = region && region->left == number && number != 0 && region->left_to == peer && begin % page == 0 &&
                   bytes % page == 0 && bytes != 0 && bytes <= region->begin + region->bytes - begin;
  return may ? region : nullptr;
}

} // namespace

int paging_read(int peer, uint64_t number, uintptr_t begin, size_t bytes, void *to) {
  lock.lock();
  int answer = asked_region(peer, number, begin, bytes) ? 1 : -1;
  if (answer > 0) {
    // Only pages with contents are touched: others may be missing here, too, and then they are zero.
    PageRange present[32];
    memset(to, 0, bytes);
    answer = 0;
    for (uintptr_t at = begin; at < begin + bytes;) {
      const int count = page_faults_present(at, begin + bytes, present, 32, at);
      if (count < 0)
        fatal("the kernel does not tell which pages of %zu bytes at %#zx have contents", bytes, begin);
      for (int i = 0; i < count; i++, answer = 1)
        memcpy(static_cast<std::byte *>(to) + (present[i].begin - begin),
               reinterpret_cast<const void *>(present[i].begin), present[i].end - present[i].begin);
    }
  }
  lock.unlock();
  return answer;
}

void paging_sent(uint64_t number, uintptr_t begin, size_t bytes) {
  lock.lock();
  // As long as it is not known that the thread has arrived, it may still be refused.
  if (Region *region = find(begin); region && region->left == number && region->settled)
    memory_abandon(reinterpret_cast<void *>(begin), bytes);
  lock.unlock();
}

void paging_over(int peer, uint64_t number) {
  lock.lock();
  for (size_t i = region_count; i-- > 0;) {
    Region *region = regions[i];
    if (region->left != number || region->left_to != peer)
      continue;
    region->over = true;
    if (region->settled)
      give_back(region);
  }
  lock.unlock();
}

size_t paging_kept() {
  size_t bytes = 0;
  paging::lock.lock();
  paging::each([&](const paging::Region &region) { bytes += region.settled ? region.bytes : 0; });
  paging::lock.unlock();
  return bytes;
}

} // namespace skein
