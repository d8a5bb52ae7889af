// Each message to a node interrupts a worker there, so news about threads are sent in batches.
//
// News of an end or a move are sent to the birth node at once if none were sent there lately, or if nothing waits to
// run here. Else they wait until there are more, for at most 10 ms. So that a join need not wait that long, the birth
// node tells, in the same way, which ends are *wanted*; those are sent at once. That is a hint: if it misses a thread
// that has moved on, the news of its end are only later.
//
// The news that a shipment of threads has *arrived* (exchange.h) waits for at most 1 ms, or leaves with threads that go
// to its sender.
#ifndef SKEIN_NET_MOVES_OUTBOX_H
#define SKEIN_NET_MOVES_OUTBOX_H

#include "net/wire/messages.h"
#include "private/regions/regions.h"

#include <cstdint>

namespace skein {

/// A thread born at `to` has ended here. `at_once`: its end is wanted.
void outbox_ended(int to, const EndedThread &ended, bool at_once);
/// A thread born at `to` has moved on from here.
void outbox_moved(int to, const MovedThread &moved, bool at_once);
/// Somebody waits for the end of a thread born here that is at `to`.
void outbox_wanted(int to, uint64_t thread);

/// Addresses of the slice of `to` are free again.
void outbox_region(int to, const FreedRegion &region);

/// All threads of a shipment from `to` have arrived here.
void outbox_arrived(int to, uint64_t shipment);
/// Takes up to `most` shipments from `to` that have arrived without its having been told. The caller puts them into a
/// message, and calls outbox_taken with their count when the link has that message.
uint32_t outbox_take_arrived(int to, uint64_t *shipments, uint32_t most);
void outbox_taken(uint32_t count);

/// Whether there are news that the link does not have yet.
bool outbox_holds();

/// Sends all news for `to`.
void outbox_send(int to);
/// Sends all news, or those that have waited long enough. Returns nanoseconds until the next are due, UINT64_MAX for
/// never.
uint64_t outbox_flush(bool all);

} // namespace skein

#endif
