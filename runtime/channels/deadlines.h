// Deadlines of calls from other nodes that wait in channels of this one. (Threads of this node have timers of their
// own, sched/timers.h.) The home decides when a wait is over, because it also decides whether a message has passed. The
// progress thread looks at the earliest deadline.
#ifndef SKEIN_CHANNELS_DEADLINES_H
#define SKEIN_CHANNELS_DEADLINES_H

#include "channels/channel.h"

namespace skein {

void deadlines_start();
void deadlines_after_fork();

/// Under the lock of the party's channel. A party without a deadline is left alone; so is one that has none here.
void deadline_add(Party *party);
void deadline_remove(Party *party);

} // namespace skein

#endif
