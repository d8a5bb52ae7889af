// What conditions need of mutexes; see mutex.cpp.
#ifndef SKEIN_SYNC_MUTEX_OF_CONDITION_H
#define SKEIN_SYNC_MUTEX_OF_CONDITION_H

#include "thread/thread.h"

#include <skein/sync.h>

namespace skein {

bool mutex_held_by(const skein_mutex_t *mutex, const Thread *thread);

/// Hands the mutex to the first thread that waits, or lets it be free. The holder has given up its hold already.
void mutex_release(skein_mutex_t *mutex);

/// A blocked thread that was taken out of the ring of a condition gets the mutex or queues for it; when it has it, its
/// call returns `result`.
void mutex_lock_for(Thread *thread, skein_mutex_t *mutex, uint64_t result);

} // namespace skein

#endif
