// What a thread owns; see extents.h.
#include "private/regions/extents.h"

#include "base/assert.h"
#include "base/grow.h"
#include "os/linux/memory.h"
#include "private/globals/arguments.h"
#include "private/globals/globals.h"
#include "private/library/exceptions.h"
#include "private/library/kernel_threads.h"
#include "private/paging/paging.h"
#include "private/regions/spare.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace skein {

namespace {

/// The first extent that does not end before or at the address.
uint32_t position(const Private &owned, uintptr_t address) {
  uint32_t low = 0, high = owned.count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (owned.extents[middle].end() <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool make_room(Private &owned) { return grow(owned.extents, owned.count, owned.capacity, uint32_t{4}); }

void forget(Thread &thread) {
  std::free(thread.owned->extents);
  known_free(thread.owned->known);
  std::free(thread.owned);
  thread.owned = nullptr;
}

void release(const Extent &extent, uint64_t thread) {
  paging_ends(extent);
  region_release(reinterpret_cast<void *>(extent.begin), extent.region, thread, extent.kept != 0);
}

void on_end(Thread *thread) { private_release(*thread); }

Extent *add(Thread &thread, ExtentKind kind, size_t bytes, void *(*acquire)(size_t bytes)) {
  const size_t page = page_bytes();
  if (bytes == 0 || bytes > private_end - private_begin)
    return nullptr;
  bytes = (bytes + page - 1) & ~(page - 1);
  if (!private_record(thread) || !make_room(*thread.owned))
    return nullptr;
  void *begin = acquire(bytes);
  if (!begin)
    return nullptr;
  const Extent extent = {reinterpret_cast<uintptr_t>(begin), bytes, bytes, kind, 0};
  const bool listed = extent_list(thread, extent);
  SKEIN_ASSERT(listed, "a fresh region at %p overlaps an extent of the thread", begin);
  return &thread.owned->extents[position(*thread.owned, extent.begin)];
}

} // namespace

const char *extent_kind_name(ExtentKind kind) {
  switch (kind) {
  case ExtentKind::globals:
    return "private globals";
  case ExtentKind::heap:
    return "private heap";
  case ExtentKind::large:
    return "large block";
  case ExtentKind::exceptions:
    return "exceptions";
  case ExtentKind::arguments:
    return "arguments of main";
  }
  return "?";
}

Private *private_record(Thread &thread) {
  if (!thread.owned)
    if (void *memory = std::malloc(sizeof(Private)))
      thread.owned = new (memory) Private();
  return thread.owned;
}

Extent *extent_add(Thread &thread, ExtentKind kind, size_t bytes) { return add(thread, kind, bytes, region_acquire); }
Extent *extent_add_spare(Thread &thread, ExtentKind kind, size_t bytes) { return add(thread, kind, bytes, spare_take); }

bool extent_list(Thread &thread, const Extent &extent) {
  if (!private_record(thread) || !make_room(*thread.owned))
    return false;
  Private &owned = *thread.owned;
  const uint32_t at = position(owned, extent.begin);
  if (at < owned.count && owned.extents[at].begin < extent.end())
    return false;
  std::memmove(owned.extents + at + 1, owned.extents + at, (owned.count - at) * sizeof(Extent));
  owned.extents[at] = extent;
  owned.count++;
  paging_mapped(thread, extent);
  if (extent.kind == ExtentKind::globals)
    globals_attach(thread, extent.begin);
  return true;
}

void extent_remove(Thread &thread, uintptr_t begin, bool spare) {
  Private &owned = *thread.owned;
  const uint32_t at = position(owned, begin);
  SKEIN_ASSERT(at < owned.count && owned.extents[at].begin == begin, "no extent of the thread begins at %#zx", begin);
  const Extent extent = owned.extents[at];
  owned.count--;
  std::memmove(owned.extents + at, owned.extents + at + 1, (owned.count - at) * sizeof(Extent));
  if (!spare || extent.kept || !spare_keep(reinterpret_cast<void *>(extent.begin), extent.region))
    release(extent, thread.id);
}

void extents_keep(Thread &thread) {
  if (thread.owned)
    for (uint32_t i = 0; i < thread.owned->count; i++)
      thread.owned->extents[i].kept = 1;
}

const Extent *extent_containing(const Private &owned, uintptr_t address) {
  const uint32_t at = position(owned, address);
  return at < owned.count && owned.extents[at].contains(address) ? &owned.extents[at] : nullptr;
}

const Extent *extent_containing(const Thread &thread, uintptr_t address) {
  return thread.owned ? extent_containing(*thread.owned, address) : nullptr;
}

size_t extents_bytes(const Private &owned, bool (*counts)(ExtentKind)) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < owned.count; i++)
    if (!counts || counts(owned.extents[i].kind))
      bytes += owned.extents[i].bytes;
  return bytes;
}

PrivateOwner private_owner(const Thread &thread, uintptr_t address) {
  if (!in_private_range(address))
    return PrivateOwner::nobody;
  return extent_containing(thread, address) ? PrivateOwner::own : PrivateOwner::other;
}

void private_release(Thread &thread) {
  if (!thread.owned)
    return;
  if (kernel_threads_live(thread)) {
    globals_end(thread);
    thread.owned = nullptr;
    return;
  }
  const bool keep_exceptions = exceptions_outlive(thread);
  const bool keep_globals = globals_end(thread);
  for (uint32_t i = 0; i < thread.owned->count; i++) {
    const Extent &extent = thread.owned->extents[i];
    if ((keep_exceptions && extent.kind == ExtentKind::exceptions) ||
        (keep_globals && extent.kind == ExtentKind::globals) || arguments_stay(extent))
      continue;
    release(extent, thread.id);
  }
  forget(thread);
}

void private_depart(Thread &thread) {
  if (!thread.owned)
    return;
  globals_depart(thread);
  for (uint32_t i = 0; i < thread.owned->count; i++)
    if (const Extent &extent = thread.owned->extents[i]; !arguments_stay(extent))
      region_depart(reinterpret_cast<void *>(extent.begin), extent.region, paging_departs(extent));
  forget(thread);
}

void private_start() {
  heap_start(); // keeps what main had
  thread_ending.add(on_end);
}

} // namespace skein
