// Reports of the locks that a thread holds (thread/holds.h keeps them).
#ifndef SKEIN_SYNC_HOLD_REPORTS_H
#define SKEIN_SYNC_HOLD_REPORTS_H

#include "thread/holds.h"

namespace skein {

/// Whether the thread holds anything of this node. If so, writes why it cannot leave.
bool holds_refuse(const Thread &thread, char *to, size_t bytes);

/// Where the innermost region SKEIN_PINNED begins that the thread is in, "file.c:12"; null: it is in none.
const char *pinned_region(const Thread &thread);

/// Says on standard error what a thread that ends still holds, unless it was the last one of the program.
void holds_at_end(const Thread &thread);

} // namespace skein

#endif
