// The destination of a move that leaves pages behind; see paging.h.
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "os/linux/page_faults.h"
#include "private/paging/tracked.h"

#include "base/grow.h"
#include "base/log.h"
#include "trace/trace.h"

#include <atomic>
#include <cstdlib>

namespace skein {

using namespace paging;

void (*paging_work)() = [] {};

namespace {

// Somebody who waits for a page mostly wants the next ones, too, and a page costs less than a question.
constexpr size_t fault_pages = 16, turn_pages = 32;
constexpr uint32_t under_way_most = 2;

/// What the source is to be told.
struct Over {
  int from;
  uint64_t number;
  Over *next;
};

Fetch *fetches;                 // under the lock, whose turn it is first
Over *overs;                    // under the lock
std::atomic<uint32_t> ended{0}; // fetches; whoever waits for one sleeps on it

Fetch *fetch_of(uint64_t thread) {
  Fetch *fetch = fetches;
  while (fetch && thread && fetch->thread != thread)
    fetch = fetch->next;
  return fetch;
}

Fetch *fetch_by(int from, uint64_t number) {
  Fetch *fetch = fetches;
  while (fetch && (fetch->from != from || fetch->number != number))
    fetch = fetch->next;
  return fetch;
}

/// Under the lock: nothing of it is missing any more.
void end(Fetch *fetch) {
  Fetch **at = &fetches;
  while (*at != fetch)
    at = &(*at)->next;
  *at = fetch->next;
  while (fetch->regions)
    end_fetching(*fetch->regions);
  if (!fetch->untold) {
    auto *over = static_cast<Over *>(malloc(sizeof(Over)));
    if (!over)
      fatal("out of memory for a message to node %d", fetch->from);
    *over = {fetch->from, fetch->number, overs};
    overs = over;
  }
  const uint64_t took = clock_ns() - fetch->began_ns;
  if (took > paging_counts.ns_max.load(std::memory_order_relaxed))
    paging_counts.ns_max.store(took, std::memory_order_relaxed);
  trace(TraceEvent::complete, fetch->thread, fetch->all * page, 0, static_cast<uint16_t>(fetch->from));
  free(fetch);
  ended.fetch_add(1, std::memory_order_release); // pairs with paging_wait
  futex_wake(ended, UINT32_MAX);
}

/// Under the lock: asks for `count` pages of the region.
void ask(Region &region, size_t first, size_t count, WantedPages &wanted) {
  region.asked.set(first, count);
  region.turn = first + count;
  region.fetch->under_way++;
  wanted = {region.fetch->from, region.fetch->number, region.begin + first * page, count * page};
}

/// Under the lock: how many pages from `first` on are missing and not asked for, up to `most`.
size_t unasked(const Region &region, size_t first, size_t most) {
  size_t count = 0;
  while (count < most && first + count < region.missing_end && region.missing[first + count] &&
         !region.asked[first + count])
    count++;
  return count;
}

/// Under the lock: the first such page of the region from `turn` on, or `missing_end`.
size_t next_unasked(const Region &region) {
  size_t at = region.turn;
  for (bool around = false;; around = true, at = 0) {
    while ((at = region.missing.next(at, region.missing_end, true)) < region.missing_end) {
      if (!region.asked[at])
        return at;
      at = region.asked.next(at, region.missing_end, false);
    }
    if (around)
      return region.missing_end;
  }
}

/// Under the lock: the thread has given these pages back, so they are zero, wherever their contents were.
void discard(uintptr_t begin, uintptr_t end_of_range) {
  Region *region = find(begin);
  if (!region || !region->fetch)
    return;
  const size_t first = region->index(begin);
  size_t last = region->index(end_of_range);
  last = last < region->missing_end ? last : region->missing_end;
  const size_t cut = first < last ? region->missing.count(first, last - first) : 0;
  if (!cut)
    return;
  region->missing.clear(first, last - first);
  region->fetch->left -= cut;
  if (region->fetch->left == 0)
    end(region->fetch);
}

// Pages that somebody waits for, of which the kernel told in the middle of something else.
uintptr_t *waiting;
size_t waiting_count, waiting_capacity;

/// Under the lock: takes one event of the kernel. `address`: of a page that somebody waits for, or 0. False: there is
/// none.
bool take_event(uintptr_t &address) {
  PageEvent event;
  if (!page_faults_next(event))
    return false;
  address = event.removed ? 0 : event.begin;
  if (event.removed)
    discard(event.begin, event.end);
  return true;
}

/// Under the lock: fills a run of missing pages of the region, as far as they are still missing, and counts those.
/// Null: with zeros.
size_t fill(Region &region, size_t first, size_t last, const std::byte *pages) {
  Fetch *fetch = region.fetch;
  size_t filled = 0;
  for (size_t at = first; region.fetch == fetch && (at = region.missing.next(at, last, true)) < last;) {
    const size_t stop = region.missing.next(at, last, false);
    const uintptr_t to = region.begin + at * page;
    size_t bytes;
    const Fill result = pages ? page_faults_fill(to, pages + (at - first) * page, (stop - at) * page, bytes)
                              : page_faults_fill_zero(to, (stop - at) * page, bytes);
    if (result == Fill::no_memory)
      fatal("no memory for %zu bytes of the private memory of thread %s", (stop - at) * page,
            thread_name(region.thread).text);
    if (result == Fill::there) // somebody has touched it before it was watched, and what it should have would be lost
      fatal("a page at %#zx of the private memory of thread %s was not missing any more when it came", to + bytes,
            thread_name(region.thread).text);
    const size_t done = result == Fill::gone ? stop - at : bytes / page;
    region.missing.clear(at, done);
    filled += done;
    at += done;
    if (uintptr_t address; result == Fill::again && take_event(address) && address) {
      if (!grow(waiting, waiting_count, waiting_capacity, size_t{64}))
        fatal("out of memory for the addresses of pages");
      waiting[waiting_count++] = address;
    }
  }
  return filled;
}

/// Under the lock: somebody waits for that page. True: these are to be asked for.
bool fault(uintptr_t address, WantedPages &wanted) {
  Region *region = find(address);
  if (region && region->index(address) < region->missing_end) {
    const size_t at = region->index(address);
    if (region->fetch && region->missing[at]) {
      paging_counts.faults.fetch_add(1, std::memory_order_relaxed);
      trace(TraceEvent::page_fault, region->thread, address, 0, static_cast<uint16_t>(region->fetch->from));
      if (region->asked[at])
        return false;
      ask(*region, at, unasked(*region, at, fault_pages), wanted);
      return true;
    }
    // It was given back to the system since the thread arrived, and is zero.
    alignas(page) static const unsigned char zeros[page] = {};
    size_t filled;
    const Fill result = page_faults_fill(address, zeros, page, filled);
    if (result == Fill::no_memory)
      fatal("no memory for a page of thread %s", thread_name(region->thread).text);
  }
  page_faults_wake(address, page); // after Fill::again it faults again
  return false;
}

} // namespace

namespace paging {

void end_fetching(Region &region) {
  Fetch *fetch = region.fetch;
  Region **at = &fetch->regions;
  while (*at != &region)
    at = &(*at)->next_of_fetch;
  *at = region.next_of_fetch;
  const size_t wanted_no_more = region.missing.count(0, region.missing_end);
  fetch->left -= wanted_no_more;
  region.fetch = nullptr;
  region.missing.drop();
  region.asked.drop();
  page_faults_wake(region.begin, region.missing_end * page);
  if (wanted_no_more && fetch->left == 0)
    end(fetch);
}

} // namespace paging

bool paging_arrives(const Thread &thread, const Extent &extent, int from, uint64_t number, const PageRun *runs,
                    size_t count) {
  lock.lock();
  struct Unlock {
    ~Unlock() { lock.unlock(); }
  } unlock;
  Region *region = find(extent.begin);
  if (!region || region->begin != extent.begin || region->fetch)
    return false;
  const size_t pages = extent.bytes / page;
  region->missing_end = pages;
  if (!region->missing.make(pages) || !region->asked.make(pages)) {
    region->missing.drop();
    return false;
  }
  region->missing.set(0, pages);
  for (size_t i = 0; i < count; i++)
    region->missing.clear(region->index(runs[i].begin), runs[i].bytes / page);
  const size_t missing = region->missing.count(0, pages);
  Fetch *fetch = fetch_by(from, number);
  if (missing && !fetch) {
    fetch = static_cast<Fetch *>(calloc(1, sizeof(Fetch)));
    if (fetch) {
      *fetch = {thread.id, number, from, false, 0, 0, 0, clock_ns(), nullptr, fetches};
      fetches = fetch;
    }
  }
  if (!missing || !fetch || !page_faults_miss(extent.begin, extent.bytes)) {
    region->missing.drop();
    region->asked.drop();
    if (fetch && !fetch->regions) {
      fetch->untold = true; // the source keeps all, since the thread cannot come
      end(fetch);
    }
    return missing == 0;
  }
  region->fetch = fetch;
  region->turn = 0;
  region->next_of_fetch = fetch->regions;
  fetch->regions = region;
  fetch->left += missing;
  fetch->all += missing;
  return true;
}

int paging_missing_at(uint64_t thread) {
  if (!paging_on)
    return -1;
  lock.lock();
  const Fetch *fetch = fetch_of(thread);
  const int from = fetch ? fetch->from : -1;
  lock.unlock();
  return from;
}

void paging_wait(uint64_t thread) {
  if (!paging_on)
    return;
  for (;;) {
    const uint32_t seen = ended.load(std::memory_order_acquire); // pairs with end
    lock.lock();
    const bool missing = fetch_of(thread) != nullptr;
    lock.unlock();
    if (!missing)
      return;
    futex_wait(ended, seen);
  }
}

bool paging_next_fault(WantedPages &wanted) {
  lock.lock();
  struct Unlock {
    ~Unlock() { lock.unlock(); }
  } unlock;
  for (;;) {
    uintptr_t address;
    if (waiting_count)
      address = waiting[--waiting_count];
    else if (!take_event(address))
      return false;
    if (address && fault(address, wanted))
      return true;
  }
}

bool paging_next(WantedPages &wanted) {
  lock.lock();
  struct Unlock {
    ~Unlock() { lock.unlock(); }
  } unlock;
  for (Fetch **at = &fetches; *at; at = &(*at)->next) {
    Fetch *fetch = *at;
    if (fetch->under_way >= under_way_most)
      continue;
    for (Region *region = fetch->regions; region; region = region->next_of_fetch)
      if (const size_t first = next_unasked(*region); first < region->missing_end) {
        ask(*region, first, unasked(*region, first, turn_pages), wanted);
        *at = fetch->next; // its next turn comes after those of the others
        while (*at)
          at = &(*at)->next;
        fetch->next = nullptr;
        *at = fetch;
        return true;
      }
  }
  return false;
}

bool paging_came(int from, uint64_t number, uintptr_t begin, size_t bytes, const void *pages, bool unknown) {
  lock.lock();
  struct Unlock {
    ~Unlock() { lock.unlock(); }
  } unlock;
  Fetch *fetch = fetch_by(from, number);
  if (fetch && fetch->under_way == 0)
    return false;
  if (fetch)
    fetch->under_way--;
  Region *region = find(begin);
  if (!fetch || !region || region->fetch != fetch)
    return true; // the thread has ended, or has freed them
  const size_t first = region->index(begin), last = first + bytes / page;
  if (last > region->missing_end || bytes % page || (unknown && region->missing.next(first, last, true) < last))
    return false;
  const size_t came = fill(*region, first, last, static_cast<const std::byte *>(pages));
  if (region->fetch != fetch)
    return true; // the thread has given back the last ones
  region->asked.clear(first, last - first);
  paging_counts.pages.fetch_add(came, std::memory_order_relaxed);
  trace(TraceEvent::pages_came, region->thread, begin, static_cast<uint32_t>(bytes), static_cast<uint16_t>(from));
  fetch->left -= came;
  if (came && fetch->left == 0)
    end(fetch);
  return true;
}

bool paging_next_over(int &from, uint64_t &number) {
  lock.lock();
  Over *over = overs;
  if (over) {
    overs = over->next;
    from = over->from;
    number = over->number;
  }
  lock.unlock();
  free(over);
  return over != nullptr;
}

void paging_each_missing_at(int from, void (*visit)(uint64_t thread, size_t bytes)) {
  if (!paging_on)
    return;
  lock.lock();
  for (const Fetch *fetch = fetches; fetch; fetch = fetch->next)
    if (fetch->from == from)
      visit(fetch->thread, fetch->left * page);
  lock.unlock();
}

} // namespace skein
