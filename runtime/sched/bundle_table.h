// The table of all bundles of this node, and how one is closed; used only by the files of this room.
#ifndef SKEIN_SCHED_BUNDLE_TABLE_H
#define SKEIN_SCHED_BUNDLE_TABLE_H

#include "sched/bundle.h"

namespace skein {

/// The first bundle is root. A bundle that has ended stays in the table, without events.
uint32_t bundle_count();
skein_bundle *bundle_at(uint32_t number);

/// Closes the bundle: when this returns, no kernel thread is inside of a visit, and a thread that needs one waits.
/// Returns the events that the bundle had. Must not be called within a visit.
const skein_bundle_events *bundle_close(skein_bundle &bundle);

/// In the child of a fork, where only the calling kernel thread exists.
void bundle_visits_after_fork();

} // namespace skein

#endif
