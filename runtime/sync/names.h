// How objects and places are called in messages.
#ifndef SKEIN_SYNC_NAMES_H
#define SKEIN_SYNC_NAMES_H

#include "thread/thread.h"

namespace skein {

struct ObjectText {
  char text[160];
};
/// "the mutex `table_lock`", "the mutex at 0x7f… on the stack of thread 3", "the mutex at 0x55…".
ObjectText object_text(const char *what, const void *object);

struct PlaceText {
  char text[224];
};
/// "`insert` (table.c:41)": the call that returns there.
PlaceText place_text(const void *place);

/// Misuse: sets the caller's error text and says it on standard error too. Returns `code`.
int misuse(Thread *self, int code, const char *format, ...) __attribute__((format(printf, 3, 4), cold));

} // namespace skein

#endif
