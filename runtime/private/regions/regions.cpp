// Regions; see regions.h. There is one lock, since a region is acquired only a few times in a thread's life.
#include "private/regions/regions.h"

#include "base/grow.h"
#include "base/id_table.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "os/linux/memory.h"
#include "private/paging/paging.h"

#include <bit>
#include <cstring>
#include <new>

namespace skein {

Event<const FreedRegion &> foreign_region_released;

namespace {

constexpr unsigned size_log2_min = 12; // a page
constexpr unsigned size_log2_max = 44;
constexpr size_t large_page_bytes = 2 << 20;
constexpr size_t run_bytes = 64 << 20;       // regions of one size are cut from runs of so many bytes, or of one region
constexpr size_t mapped_bytes_max = 1 << 20; // larger ones are unmapped when they are released

struct Free {
  uintptr_t begin;
  bool mapped; // and zero
};

/// The regions of one size.
struct SizeClass {
  Free *free; // last one released last
  size_t free_count, free_capacity;
  uintptr_t run_next, run_end; // never handed out
};

/// Addresses that images of other runs brought along, and that this run must not hand out.
struct Foreign {
  uintptr_t begin, end;
};

SpinLock lock{Rank::regions};
SizeClass classes[size_log2_max + 1];
uintptr_t slice_first, slice_next; // what lies between them has been divided into runs; 0: nothing taken yet
// Of this slice, by begin, the logarithm of their size: regions whose thread is elsewhere, and those that are kept.
IdTable<uint8_t> abroad, kept;
Foreign *foreign;
size_t foreign_count, foreign_capacity;

size_t slice_bytes() { return (private_end - private_begin) / std::bit_ceil(static_cast<unsigned>(node.count)); }
uintptr_t slice_begin(int owner) { return private_begin + static_cast<unsigned>(owner) * slice_bytes(); }

unsigned class_of(size_t bytes) {
  unsigned log2 = bytes <= 1 ? 0 : static_cast<unsigned>(std::bit_width(bytes - 1));
  return log2 < size_log2_min ? size_log2_min : log2;
}

/// Under the lock: the first of the foreign ones that ends behind the address; they are in order, and disjoint.
size_t foreign_from(uintptr_t address) {
  size_t low = 0, high = foreign_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (foreign[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Under the lock: one that has addresses in common with [begin, end), or null.
const Foreign *foreign_in(uintptr_t begin, uintptr_t end) {
  const size_t at = foreign_from(begin);
  return at < foreign_count && foreign[at].begin < end ? &foreign[at] : nullptr;
}

/// Under the lock: these addresses, of which no others are in the list, are foreign from now on. False without memory.
bool foreign_add(uintptr_t begin, uintptr_t end) {
  if (!grow(foreign, foreign_count, foreign_capacity, size_t{16}))
    return false;
  const size_t at = foreign_from(begin);
  memmove(foreign + at + 1, foreign + at, (foreign_count - at) * sizeof(Foreign));
  foreign[at] = {begin, end};
  foreign_count++;
  return true;
}

/// Under the lock: where the first run begins, somewhere in the first quarter of the slice, elsewhere in each run.
void begin_slice() {
  if (slice_next)
    return;
  const uint64_t seed = node.seed ? node.seed : memory_place_seed();
  slice_first = slice_next = slice_begin(node.self) + seed % (slice_bytes() / 4) / large_page_bytes * large_page_bytes;
}

/// Under the lock: addresses nobody has had. 0: none.
uintptr_t fresh(unsigned log2) {
  SizeClass &sizes = classes[log2];
  const size_t bytes = size_t{1} << log2;
  if (sizes.run_next == sizes.run_end) {
    begin_slice();
    const uintptr_t end = slice_begin(node.self) + slice_bytes();
    const size_t align = bytes < large_page_bytes ? bytes : large_page_bytes;
    uintptr_t begin;
    size_t run;
    const Foreign *taken;
    do {
      begin = (slice_next + align - 1) & ~(align - 1);
      run = bytes < run_bytes ? run_bytes : bytes;
      if (begin >= end || end - begin < bytes)
        return 0;
      if (run > end - begin)
        run = (end - begin) & ~(bytes - 1);
      if ((taken = foreign_in(begin, begin + run)))
        slice_next = taken->end;
    } while (taken);
    slice_next = begin + run;
    sizes.run_next = begin;
    sizes.run_end = begin + run;
  }
  const uintptr_t begin = sizes.run_next;
  sizes.run_next += bytes;
  return begin;
}

/// Under the lock. Without memory for the list the addresses are never used again, which harms nobody.
void give(unsigned log2, Free region) {
  SizeClass &sizes = classes[log2];
  if (grow(sizes.free, sizes.free_count, sizes.free_capacity, size_t{64}))
    sizes.free[sizes.free_count++] = region;
}

Free take_region(unsigned log2) {
  if (log2 > size_log2_max)
    return {};
  Guard guard(lock);
  SizeClass &sizes = classes[log2];
  if (sizes.free_count)
    return sizes.free[--sizes.free_count];
  return {fresh(log2), false};
}

/// Whether a region of so many bytes can begin there in this node's slice.
bool region_of_slice(uintptr_t begin, size_t bytes) {
  const unsigned log2 = class_of(bytes);
  return log2 <= size_log2_max && bytes == size_t{1} << log2 && begin % page_bytes() == 0 &&
         region_owner(begin) == node.self && region_owner(begin + bytes - 1) == node.self;
}

bool map(uintptr_t begin, size_t bytes) { return memory_allocate_at(reinterpret_cast<void *>(begin), bytes); }

} // namespace

int region_owner(uintptr_t address) {
  if (!in_private_range(address))
    return -1;
  const auto owner = static_cast<int>((address - private_begin) / slice_bytes());
  return owner < node.count ? owner : -1;
}

size_t region_bytes(size_t bytes) {
  const unsigned log2 = class_of(bytes);
  return log2 <= size_log2_max ? size_t{1} << log2 : 0;
}

void *region_acquire(size_t bytes) {
  const unsigned log2 = class_of(bytes);
  const Free region = take_region(log2);
  if (!region.begin)
    return nullptr;
  // A kept one is mapped as far as it was used before, all of it: sizes of a class are rounded up when mapped.
  if (!region.mapped && !map(region.begin, size_t{1} << log2)) {
    Guard guard(lock);
    give(log2, region);
    return nullptr;
  }
  return reinterpret_cast<void *>(region.begin);
}

bool region_arrive(void *begin, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  paging_taken(address, size_t{1} << class_of(bytes));
  if (!map(address, size_t{1} << class_of(bytes)))
    return false;
  if (region_owner(address) == node.self) {
    Guard guard(lock);
    abroad.erase(address);
  }
  return true;
}

void region_depart(void *begin, size_t bytes, bool left) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const unsigned log2 = class_of(bytes);
  if (!left)
    memory_free(begin, size_t{1} << log2);
  if (region_owner(address) == node.self) {
    Guard guard(lock);
    abroad[address] = static_cast<uint8_t>(log2);
  }
}

void region_release(void *begin, size_t bytes, uint64_t thread, bool for_images) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const unsigned log2 = class_of(bytes);
  bytes = size_t{1} << log2;
  const int owner = region_owner(address);
  const bool stays_mapped = owner == node.self && !for_images && bytes <= mapped_bytes_max;
  if (stays_mapped)
    memory_discard(begin, bytes);
  else
    memory_free(begin, bytes);
  if (owner == node.self) {
    Guard guard(lock);
    if (for_images)
      kept[address] = static_cast<uint8_t>(log2);
    else
      give(log2, {address, stays_mapped});
  } else if (owner >= 0) {
    foreign_region_released({address, bytes | (for_images ? region_kept : 0), thread});
  }
}

bool region_returned(const FreedRegion &region) {
  const uint64_t bytes = region.bytes & ~region_kept;
  if (!region_of_slice(region.begin, bytes))
    return false;
  const unsigned log2 = class_of(bytes);
  paging_taken(region.begin, bytes);
  Guard guard(lock);
  const uint8_t *departed = abroad.find(region.begin);
  if (!departed || *departed != log2)
    return false;
  abroad.erase(region.begin);
  if (region.bytes & region_kept)
    kept[region.begin] = static_cast<uint8_t>(log2);
  else
    give(log2, {region.begin, false});
  return true;
}

Claim region_claim(uintptr_t begin, size_t bytes) {
  if (!region_of_slice(begin, bytes))
    return Claim::refused;
  const unsigned log2 = class_of(bytes);
  Guard guard(lock);
  if (abroad.find(begin))
    return Claim::abroad;
  if (const uint8_t *known = kept.find(begin)) {
    if (*known != log2)
      return Claim::refused;
    kept.erase(begin);
  } else {
    begin_slice();
    const uintptr_t end = begin + bytes;
    if ((begin < slice_next && slice_first < end) || foreign_in(begin, end) || !foreign_add(begin, end))
      return Claim::refused;
  }
  abroad[begin] = static_cast<uint8_t>(log2);
  return Claim::granted;
}

void region_give_back(const FreedRegion &region) {
  if (region_owner(region.begin) != node.self)
    foreign_region_released(region);
  else if (!region_returned(region))
    fatal("the region at %#zx is given back, and was not away", static_cast<size_t>(region.begin));
}

void regions_after_fork() { new (&lock) SpinLock(Rank::regions); }

} // namespace skein
