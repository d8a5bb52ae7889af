// Writes and reads a thread's private memory in an image; see owned_image.h.
#include "migrate/owned_image.h"

#include "base/node.h"
#include "migrate/owned.h"
#include "os/linux/memory.h"
#include "private/globals/arguments.h"
#include "private/heap/heap.h"

#include <algorithm>
#include <skein/skein.h>
#include <string.h>

namespace skein {

namespace {

constexpr uint64_t page = 4096;

Scratch<ImageRun> &runs() {
  static __thread Scratch<ImageRun> list;
  return list;
}

bool known_valid(const Private &owned, const KnownWord &word) {
  uint64_t value;
  if (word.at == 0 || extent_containing(owned, word.at) == nullptr)
    return false;
  memcpy(&value, (const void *)word.at, sizeof value);
  return value == word.value;
}

} // namespace

// --- writing --------------------------------------------------------------------------------------------------------

bool OwnedCapture::add_run(uintptr_t begin, size_t bytes, void *self) {
  ((OwnedCapture *)self)->page_bytes += bytes;
  return runs().add({begin, bytes});
}

bool OwnedCapture::gather(const Thread &thread, const Leaving *leaves, uint64_t lend_least) {
  total = page_bytes = known = 0;
  lends = false;
  leaving = leaves;
  if (thread.owned == nullptr || thread.owned->count == 0)
    return true;
  const Private &owned = *thread.owned;
  runs().clear();
  for (uint32_t i = 0; i < owned.count; ++i) {
    const Extent &extent = owned.extents[i];
    const bool stays = leaving != nullptr && leaving->leaves(extent);
    if (stays ? !leaving->each_run(extent, add_run, this) : !owned_runs(owned, extent, add_run, this))
      return false;
  }
  for (size_t i = 0; i < owned.known.capacity; ++i)
    known += known_valid(owned, owned.known.words[i]);
  lends = leaving == nullptr && page_bytes >= lend_least;
  total = sizeof(ImageOwned) + owned.count * sizeof(ImageExtent) + known * sizeof(KnownWord) +
          runs().count() * sizeof(ImageRun) + (lends ? 0 : page_bytes);
  return true;
}

void OwnedCapture::write(const Thread &thread, unsigned char *to) const {
  if (total == 0)
    return;
  const Private &owned = *thread.owned;
  ImageOwned header = {};
  header.heap = (uint64_t)(uintptr_t)owned.heap;
  header.globals = (uint64_t)(uintptr_t)owned.globals;
  header.next_bytes = owned.next_bytes;
  header.extent_count = owned.count;
  header.known_count = known;
  header.run_count = (uint32_t)runs().count();
  if (leaving != nullptr) {
    header.left_at = (uint32_t)node.self;
    header.left = leaving->number();
  }
  header.lent_bytes = lends ? page_bytes : 0;
  auto put = [&](const void *from, size_t bytes) {
    memcpy(to, from, bytes);
    to += bytes;
  };
  put(&header, sizeof header);
  for (uint32_t i = 0; i < owned.count; ++i) {
    const Extent &extent = owned.extents[i];
    const uint32_t left = leaving != nullptr && leaving->leaves(extent) ? extent_left : 0;
    ImageExtent written = {extent.begin, extent.bytes, extent.region, (uint32_t)extent.kind,
                           (extent.kept ? extent_kept : 0) | left};
    put(&written, sizeof written);
  }
  for (size_t i = 0; i < owned.known.capacity; ++i)
    if (known_valid(owned, owned.known.words[i]))
      put(&owned.known.words[i], sizeof(KnownWord));
  for (size_t i = 0; i < runs().count(); ++i)
    put(&runs()[i], sizeof(ImageRun));
  for (size_t i = 0; i < runs().count() && !lends; ++i)
    put((const void *)(uintptr_t)runs()[i].begin, runs()[i].bytes);
}

// --- reading --------------------------------------------------------------------------------------------------------

namespace {

// The parts of what was received. A part that is empty has a null pointer, which is never read.
struct Parts {
  const ImageOwned *header;
  const ImageExtent *extents;
  const KnownWord *known;
  const ImageRun *runs;
  const unsigned char *pages;
};

bool valid_extent(const ImageExtent &extent) {
  uint64_t size = region_bytes(extent.region);
  return extent.kind >= (uint32_t)ExtentKind::globals && extent.kind <= (uint32_t)ExtentKind::arguments &&
         (extent.flags & ~(extent_kept | extent_left)) == 0 && extent.begin % page == 0 && extent.bytes % page == 0 &&
         extent.bytes != 0 && size >= extent.bytes && extent.begin % (size < (2 << 20) ? size : (2 << 20)) == 0 &&
         region_owner(extent.begin) >= 0 && region_owner(extent.begin + size - 1) == region_owner(extent.begin);
}

const ImageExtent *extent_of(const Parts &parts, uint64_t begin, uint64_t bytes) {
  for (uint32_t i = 0; i < parts.header->extent_count; ++i)
    if (begin >= parts.extents[i].begin && begin - parts.extents[i].begin <= parts.extents[i].bytes &&
        bytes <= parts.extents[i].bytes - (begin - parts.extents[i].begin))
      return &parts.extents[i];
  return nullptr;
}

// Finds the parts; false unless all numbers fit together.
bool read_parts(const unsigned char *at, size_t bytes, Parts &parts) {
  if (bytes < sizeof(ImageOwned))
    return false;
  parts.header = (const ImageOwned *)at;
  const ImageOwned &header = *parts.header;
  uint64_t rest = bytes - sizeof header;
  uint64_t tables = (uint64_t)header.extent_count * sizeof(ImageExtent) +
                    (uint64_t)header.known_count * sizeof(KnownWord) + (uint64_t)header.run_count * sizeof(ImageRun);
  if (header.extent_count == 0 || tables > rest ||
      (header.left != 0 ? header.left_at >= (uint32_t)node.count || (int)header.left_at == node.self
                        : header.left_at != 0))
    return false;
  parts.extents = (const ImageExtent *)(at + sizeof header);
  parts.known = (const KnownWord *)(parts.extents + header.extent_count);
  parts.runs = (const ImageRun *)(parts.known + header.known_count);
  parts.pages = (const unsigned char *)(parts.runs + header.run_count);
  rest -= tables;
  if (header.lent_bytes != 0 && (rest != 0 || header.left != 0))
    return false;
  rest += header.lent_bytes;
  for (uint32_t i = 0; i < header.extent_count; ++i) {
    const ImageExtent &extent = parts.extents[i];
    if (!valid_extent(extent) || ((extent.flags & extent_left) != 0 && header.left == 0) ||
        (i > 0 && extent.begin < parts.extents[i - 1].begin + region_bytes(parts.extents[i - 1].region)))
      return false;
  }
  for (uint32_t i = 0; i < header.run_count; ++i) {
    const ImageRun &run = parts.runs[i];
    if (header.left != 0 && i > 0 && run.begin < parts.runs[i - 1].begin + parts.runs[i - 1].bytes)
      return false; // so that begin_fetching finds the runs of an extent side by side
    if (run.begin % page != 0 || run.bytes % page != 0 || run.bytes > rest || !extent_of(parts, run.begin, run.bytes))
      return false;
    rest -= run.bytes;
  }
  auto inside = [&](uint64_t address, ExtentKind kind, uint64_t least) {
    const ImageExtent *extent = extent_of(parts, address, least);
    return extent != nullptr && extent->kind == (uint32_t)kind && address % 16 == 0;
  };
  return rest == 0 && (header.heap == 0 || inside(header.heap, ExtentKind::heap, heap_state_bytes())) &&
         (header.globals == 0 || inside(header.globals, ExtentKind::globals, 1)) &&
         header.next_bytes <= 2 * (uint64_t)extent_bytes_max;
}

// Whether most of the pages of a large extent are in the image, so that large ones are quicker and waste little.
bool is_large_and_full(const Parts &parts, const ImageExtent &extent) {
  constexpr uint64_t least = 4 << 20;
  if (extent.bytes < least)
    return false;
  uint64_t filled = 0;
  for (uint32_t i = 0; i < parts.header->run_count; ++i)
    if (parts.runs[i].begin - extent.begin < extent.bytes)
      filled += parts.runs[i].bytes;
  return filled >= extent.bytes / 4 * 3;
}

// Copies the pages from where they are lent, many pieces at once. False: that is not possible.
bool read_lent_pages(const Parts &parts, const LentReader &lent) {
  LentPiece pieces[lent_pieces_most];
  size_t count = 0, bytes = 0;
  const auto read = [&] {
    const bool done = count == 0 || lent.read(pieces, count);
    count = bytes = 0;
    return done;
  };
  for (uint32_t i = 0; i < parts.header->run_count; ++i) {
    const uint64_t end = parts.runs[i].begin + parts.runs[i].bytes;
    for (uint64_t at = parts.runs[i].begin; at < end; at += pieces[count - 1].bytes) {
      if ((count == lent_pieces_most || bytes == lent_bytes_most) && !read())
        return false;
      pieces[count] = {at, (void *)(uintptr_t)at, std::min<uint64_t>(end - at, lent_bytes_most - bytes)};
      bytes += pieces[count++].bytes;
    }
  }
  return read();
}

// Fills the pages that do not hold only zeroes; false if they cannot be had where they are lent.
bool fill_pages(const Parts &parts, const LentReader *lent) {
  if (parts.header->lent_bytes != 0)
    return read_lent_pages(parts, *lent);
  const unsigned char *from = parts.pages;
  for (uint32_t i = 0; i < parts.header->run_count; ++i) {
    memcpy((void *)(uintptr_t)parts.runs[i].begin, from, parts.runs[i].bytes);
    from += parts.runs[i].bytes;
  }
  return true;
}

// Begins to fetch the pages of all extents that are left at the source.
bool begin_fetching(const Parts &parts, const Thread &into) {
  uint32_t run = 0;
  for (uint32_t i = 0; i < parts.header->extent_count; ++i) {
    const ImageExtent &extent = parts.extents[i];
    static_assert(sizeof(ImageRun) == sizeof(PageRun));
    const uint32_t first = run;
    while (run < parts.header->run_count && parts.runs[run].begin - extent.begin < extent.bytes)
      ++run;
    if ((extent.flags & extent_left) != 0 &&
        !paging_arrives(into, *extent_containing(into, extent.begin), (int)parts.header->left_at, parts.header->left,
                        (const PageRun *)&parts.runs[first], run - first))
      return false;
  }
  if (parts.header->left != 0)
    paging_work();
  return true;
}

} // namespace

bool owned_unpack(const unsigned char *at, size_t bytes, Thread &into, const LentReader *lent, ImageFault &fault,
                  Refusal &why) {
  if (bytes == 0)
    return true;
  Parts parts;
  if (!read_parts(at, bytes, parts) || (parts.header->lent_bytes != 0 && lent == nullptr)) {
    fault = ImageFault::malformed;
    return why.set(SKEIN_EREFUSED, "the image contradicts itself: its private memory");
  }
  for (uint32_t i = 0; i < parts.header->extent_count; ++i) {
    const ImageExtent &from = parts.extents[i];
    Extent extent = {from.begin, from.bytes, from.region, (ExtentKind)from.kind, from.flags & extent_kept};
    bool stayed = arguments_stay(extent), mapped = stayed || region_arrive((void *)extent.begin, extent.region);
    if (mapped && extent_list(into, extent)) {
      // The first page that is stored must not bring its neighbours along, full of zeros: these are missing.
      if ((from.flags & extent_left) != 0)
        memory_huge_pages((void *)extent.begin, region_bytes(extent.region), false);
      else if (is_large_and_full(parts, from))
        memory_huge_pages((void *)extent.begin, region_bytes(extent.region), true);
      continue;
    }
    if (mapped && !stayed)
      region_depart((void *)extent.begin, extent.region);
    private_depart(into);
    fault = ImageFault::no_memory;
    return why.set(SKEIN_EMEMORY,
                   "its %s (%zu bytes at %#zx) cannot be mapped on this node: the addresses are taken, or "
                   "there is no memory",
                   extent_kind_name(extent.kind), extent.bytes, (size_t)extent.begin);
  }
  if (!fill_pages(parts, lent)) {
    private_depart(into);
    fault = ImageFault::unread;
    return why.set(SKEIN_EREFUSED, UNREAD_TEXT, lent->lender->node);
  }
  if (!begin_fetching(parts, into)) {
    private_depart(into);
    fault = ImageFault::no_memory;
    return why.set(SKEIN_EMEMORY, "its memory that was left on node %u cannot be fetched here", parts.header->left_at);
  }
  Private &owned = *into.owned;
  owned.heap = (Space *)(uintptr_t)parts.header->heap;
  if (owned.heap != nullptr)
    heap_attach(owned);
  owned.globals = (void *)(uintptr_t)parts.header->globals;
  owned.next_bytes = parts.header->next_bytes;
  auto live = [](uintptr_t word, void *thread) { return extent_containing(*(Thread *)thread, word) != nullptr; };
  for (uint32_t i = 0; i < parts.header->known_count; ++i) {
    const KnownWord &word = parts.known[i];
    if (extent_of(parts, word.at, sizeof(uintptr_t)) && !known_add(owned.known, word.at, word.value, live, &into)) {
      private_depart(into);
      fault = ImageFault::no_memory;
      return why.set(SKEIN_EMEMORY, "no memory for what is known of its private memory");
    }
  }
  return true;
}

bool owned_leaves(const unsigned char *at, size_t bytes) {
  return bytes >= sizeof(ImageOwned) && ((const ImageOwned *)at)->left != 0;
}

bool owned_regions(const unsigned char *at, size_t bytes, bool (*visit)(uint64_t begin, uint64_t bytes, void *context),
                   void *context) {
  if (bytes == 0)
    return true;
  Parts parts;
  if (!read_parts(at, bytes, parts))
    return false;
  for (uint32_t i = 0; i < parts.header->extent_count; ++i)
    if (!visit(parts.extents[i].begin, region_bytes(parts.extents[i].region), context))
      return false;
  return true;
}

bool owned_overlaps(const unsigned char *at, size_t bytes, const Thread &other) {
  Parts parts;
  if (bytes == 0 || other.owned == nullptr || !read_parts(at, bytes, parts))
    return false;
  for (uint32_t i = 0; i < parts.header->extent_count; ++i) {
    const ImageExtent &extent = parts.extents[i];
    const Extent *begin = other.owned->extents;
    if (std::any_of(begin, begin + other.owned->count, [&](const Extent &own) {
          return own.begin < extent.begin + region_bytes(extent.region) &&
                 extent.begin < own.begin + region_bytes(own.region);
        }))
      return true;
  }
  return false;
}

} // namespace skein
