// A thread's private memory in its image. docs/wire-format.md shows the bytes.
//
//     +----------------------+
//     | ImageOwned           |
//     +----------------------+
//     | ImageExtent  [E]     |  where it lies; it has to be free at the destination
//     +----------------------+
//     | KnownWord    [K]     |  words that hold addresses of the stack (private/heap/known.h)
//     +----------------------+
//     | ImageRun     [R]     |  pages that hold anything; all others are zero
//     +----------------------+
//     | those pages          |
//     +----------------------+
//
// Nothing that an image says is trusted: addresses must lie in the private range and in a slice of this run, extents
// must be disjoint and free here, and runs must lie inside them.
#ifndef SKEIN_MIGRATE_OWNED_IMAGE_H
#define SKEIN_MIGRATE_OWNED_IMAGE_H

#include "migrate/image.h"
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
  uint32_t reserved; // 0
};
static_assert(sizeof(ImageOwned) == 40);

struct ImageExtent {
  uint64_t begin;
  uint64_t bytes;
  uint64_t region;
  uint32_t kind; // ExtentKind
  uint32_t kept; // 1: an image has these addresses (private/regions/extents.h)
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
  // False: there is no memory.
  bool gather(const Thread &thread);
  size_t bytes() const { return total; } // 0: it owns nothing
  void write(const Thread &thread, unsigned char *to) const;

private:
  static bool add_run(uintptr_t begin, size_t bytes, void *self);
  size_t total = 0;
  size_t page_bytes = 0;
  uint32_t known = 0;
};

// Maps and fills what an image says the thread owns. If this is false, with a reason, nothing is left behind. Pointers
// inside still have the values of the source.
bool owned_unpack(const unsigned char *at, size_t bytes, Thread &into, ImageFault &fault, Refusal &why);

// Calls visit(begin, bytes) for each region that an image lists, as image_regions does.
bool owned_regions(const unsigned char *at, size_t bytes, bool (*visit)(uint64_t begin, uint64_t bytes, void *context),
                   void *context);

// Whether some private memory that an image lists lies in a region of `other`.
bool owned_overlaps(const unsigned char *at, size_t bytes, const Thread &other);

} // namespace skein

#endif
