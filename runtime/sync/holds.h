// What is said about the locks that a thread holds (thread/holds.h keeps them).
#ifndef SKEIN_SYNC_HOLDS_H
#define SKEIN_SYNC_HOLDS_H

#include "thread/holds.h"

namespace skein {

/// Whether the thread holds anything of this node; then why it cannot leave, in words.
bool holds_refuse(const Thread &thread, char *to, size_t bytes);

/// It ends: says on standard error what it still holds.
void holds_at_end(const Thread &thread);

} // namespace skein

#endif
