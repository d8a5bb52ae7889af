// News about threads for other nodes, in batches.
//
// An end or a move is told to the birth node at once if nothing was told it lately, or if nothing waits to run here;
// else it waits for company, at most 10 ms, since each message interrupts a worker there. So that nobody waits that
// long for a join, the birth node says, in the same way, which ends are *wanted*; these are told at once. That is a
// hint: a thread that it misses, since it has moved on, is only told later.
//
// That a shipment of threads has *arrived* can wait for company, too, at most 1 ms (exchange.h), and rides along when
// threads leave for its sender.
#ifndef SKEIN_NET_MOVES_OUTBOX_H
#define SKEIN_NET_MOVES_OUTBOX_H

#include "net/wire/messages.h"
#include "private/regions/regions.h"

#include <cstdint>

namespace skein {

/// A thread born at `to` has ended here. `at_once`: it is wanted.
void outbox_ended(int to, const EndedThread &ended, bool at_once);
/// A thread born at `to` has moved on from here.
void outbox_moved(int to, const MovedThread &moved, bool at_once);
/// Somebody waits for the end of a thread born here that is at `to`.
void outbox_wanted(int to, uint64_t thread);

/// Addresses of the slice of `to` are free again.
void outbox_region(int to, const FreedRegion &region);

/// A shipment of `to` has arrived here, all of it.
void outbox_arrived(int to, uint64_t shipment);
/// The shipments of `to` that have arrived and of which it has not been told; not more than `most`. Whoever takes them
/// puts them into a message, and calls outbox_taken with their number when that is with the link.
uint32_t outbox_take_arrived(int to, uint64_t *shipments, uint32_t most);
void outbox_taken(uint32_t count);

/// Whether something has been told to it and not been sent.
bool outbox_holds();

/// Send all that waits for `to`.
void outbox_send(int to);
/// Send all that waits, or what has waited long enough. Returns nanoseconds until the next is due, UINT64_MAX for none.
uint64_t outbox_flush(bool all);

} // namespace skein

#endif
