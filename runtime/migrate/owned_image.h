// A thread's private memory in its image. docs/wire-format.md shows the bytes.
//
//     +----------------------+
//     | ImageOwned           |
//     +----------------------+
//     | ImageExtent  [E]     |  where it lies; it has to be free at the destination
//     +----------------------+
//     | KnownWord    [K]     |  words that hold addresses of the stack (private/heap/known.h)
//     +----------------------+
//     | ImageRun     [R]     |  pages that hold anything; all others are zero, or left at the source
//     +----------------------+
//     | those pages          |  unless they are lent (image.h)
//     +----------------------+
//
// Nothing that an image says is trusted: addresses must lie in the private range and in a slice of this run, extents
// must be disjoint and free here, and runs must lie inside them.
#ifndef SKEIN_MIGRATE_OWNED_IMAGE_H
#define SKEIN_MIGRATE_OWNED_IMAGE_H

#include "migrate/image.h"
#include "private/paging/paging.h"
#include "private/regions/extents.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

struct ImageOwned {
  uint64_t heap;    // the allocator's state, 0: no heap
  uint64_t globals; // the block of private globals, 0: none
  uint64_t next_bytes;
  uint32_t extent_count;
  uint32_t known_count;
  uint32_t run_count;
  uint32_t left_at;    // the node where pages are left (private/paging/paging.h)
  uint64_t left;       // the number by which it knows them, 0: none are left
  uint64_t lent_bytes; // of the pages, if they are not here but lent; else 0
};
static_assert(sizeof(ImageOwned) == 56);

// Why an image that lends memory is refused, if that cannot be read; with the node.
#define UNREAD_TEXT "its memory cannot be read where node %d lends it"

// Reads what an image lends.
struct LentReader {
  const Lender *lender;
  const ImageLent *lent;
  uint64_t thread;
  bool read(const LentPiece *pieces, size_t count) const {
    return lender->read(lender->node, *lent, thread, pieces, count);
  }
};

struct ImageExtent {
  uint64_t begin;
  uint64_t bytes;
  uint64_t region;
  uint32_t kind; // ExtentKind
  uint32_t flags;
};
enum : uint32_t {
  extent_kept = 1, // an image has these addresses (private/regions/extents.h)
  extent_left = 2, // its pages that are in no run are left at the source
};
static_assert(sizeof(ImageExtent) == 32);

struct ImageRun {
  uint64_t begin;
  uint64_t bytes;
};
static_assert(sizeof(ImageRun) == 16 && sizeof(KnownWord) == 16);

// What will be written of a thread; it is gathered before the size of the image is known.
class OwnedCapture {
public:
  // False: there is no memory. `leaving`, if not null, says what the thread leaves behind; else it lends all of its
  // pages if they have `lend_least` bytes.
  bool gather(const Thread &thread, const Leaving *leaving, uint64_t lend_least);
  size_t bytes() const { return total; } // 0: it owns nothing
  size_t lent_bytes() const { return lends ? page_bytes : 0; }
  void write(const Thread &thread, unsigned char *to) const;

private:
  static bool add_run(uintptr_t begin, size_t bytes, void *self);
  size_t total = 0;
  size_t page_bytes = 0;
  uint32_t known = 0;
  bool lends = false;
  const Leaving *leaving = nullptr;
};

// Maps and fills what an image says the thread owns, and begins to fetch what is left at the source. If this is false,
// with a reason, nothing is left behind. Pointers inside still have the values of the source. `lent`: what reads
// pages that are lent; null if the image must have all of them.
bool owned_unpack(const unsigned char *at, size_t bytes, Thread &into, const LentReader *lent, ImageFault &fault,
                  Refusal &why);

// Whether memory that an image lists is left at its source.
bool owned_leaves(const unsigned char *at, size_t bytes);

// Calls visit(begin, bytes) for each region that an image lists, as image_regions does.
bool owned_regions(const unsigned char *at, size_t bytes, bool (*visit)(uint64_t begin, uint64_t bytes, void *context),
                   void *context);

// Whether some private memory that an image lists lies in a region of `other`.
bool owned_overlaps(const unsigned char *at, size_t bytes, const Thread &other);

} // namespace skein

#endif
