// All bundles of this node, and opening and closing them; for the files of this room.
#ifndef SKEIN_SCHED_BUNDLE_TABLE_H
#define SKEIN_SCHED_BUNDLE_TABLE_H

#include "sched/bundle.h"

namespace skein {

/// The first is root. Some may have ended; they have no events.
uint32_t bundle_count();
skein_bundle *bundle_at(uint32_t number);

/// From here on nobody is inside of a visit to it; who needs it waits. Returns its events. Not within a visit.
const skein_bundle_events *bundle_close(skein_bundle &bundle);

/// In the child of a fork: only the caller exists.
void bundle_visits_after_fork();

} // namespace skein

#endif
