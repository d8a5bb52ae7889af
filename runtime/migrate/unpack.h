// The two halves of an image's way that do not ask whether the thread may leave: writing and reading it
// (image_write.cpp, image_restore.cpp). For those two, and for the stress mode that sends every move through an image
// inside one process, where the heap stays reachable.
#ifndef SKEIN_MIGRATE_UNPACK_H
#define SKEIN_MIGRATE_UNPACK_H

#include "migrate/check.h"
#include "migrate/image.h"

namespace skein {

// Appends the image of a thread with the given libraries in its table.
bool image_write(const Thread &thread, const ModulesUsed &used, Buffer &to, Refusal &why);

// Puts a checked image on `stack` (empty if it has not started) and into a record: stack, sp, start, result, error
// text, private memory (which must not be mapped here). On refusal the record's stack, sp and start are as before, and
// it owns nothing.
bool image_unpack(const ImageHeader &header, const Stack &stack, Thread &into, MoveCounts &counts, ImageFault &fault,
                  Refusal &why);

// The private memory alone, as it was at the source: for a thread that has not moved after all.
void image_put_back(const ImageHeader &header, Thread &into);

} // namespace skein

#endif
