// Writing and reading an image (image_write.cpp, image_unpacking.cpp) without asking whether the thread may leave.
// These functions are for those two files, and for the stress mode, which sends every move through an image inside one
// process, where the heap stays reachable.
#ifndef SKEIN_MIGRATE_UNPACK_H
#define SKEIN_MIGRATE_UNPACK_H

#include "migrate/check.h"
#include "migrate/image.h"
#include "private/paging/paging.h"

namespace skein {

// What an image does not have: pages that the thread leaves behind, memory that it lends, and its stack in place.
struct LeftOut {
  const Leaving *leaving = nullptr;
  uint64_t lend_least = UINT64_MAX;
  bool stack = false;
};
// Appends the image of a thread, with the given libraries in its table.
bool image_write(const Thread &thread, const ModulesUsed &used, Buffer &to, Refusal &why, const LeftOut &without = {});

// Puts a checked image on `stack` (an empty one if the thread has not started) and into a record: its stack, sp, start,
// result, error text, and private memory, which must not be mapped here. On refusal the stack, sp and start of the
// record are as before, and it owns nothing.
bool image_unpack(const ImageHeader &header, const Stack &stack, Thread &into, MoveCounts &counts, ImageFault &fault,
                  Refusal &why, const Lender *lender = nullptr);

// Puts back only the private memory, as it was at the source, for a thread that has not moved after all.
void image_put_back(const ImageHeader &header, Thread &into);

} // namespace skein

#endif
