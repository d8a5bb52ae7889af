// Where the threads that were born here are, and who elsewhere waits for their end.
//
// Each thread is known at its *birth node* (the high bits of its id) as long as it lives: in the thread table while it
// is there, else in a record here that says where it went last. So "does it still live?" and "who was on the node that
// died?" have one place to be answered. Records are hints about places and facts about life.
//
//     at the birth node           T leaves              moved (from each node it leaves)      ended
//     in the table  --------->  record {to, moves}  ----------- later `moves` wins --------->  no record
//
// Invariants
//  * A record is made before the image is sent and removed after T is in the table again, so T is always in at least
//    one.
//  * A `moved` that comes late changes only a record that exists and is older; it never makes one.
//
// What a thread's function returned is kept at its birth node until it is joined (sync/join.h); it travels there with
// `ended`, and on with the replies to `join`. That a thread is detached is known at its birth node only: in the thread
// while it is there, else in its record.
//
// That a thread is to end (skein_cancel) its birth node notes in its record and tells the node where it went last; and
// the next one, when it hears that the thread has arrived somewhere (`moved`, or the verdict of its own image), until
// it is back or has ended. A node that is told too early or too late does not know the thread, or sees it leave: it
// sends its news of it at once. So a thread that rests anywhere is found; one that never does is, as a rule, after some
// hops.
//
// Rejected: forwarding chains (a thread that has moved a thousand times leaves a thousand stops); asking everybody.
#ifndef SKEIN_NET_MOVES_BIRTHS_H
#define SKEIN_NET_MOVES_BIRTHS_H

#include "net/wire/link.h"
#include "thread/thread.h"

namespace skein {

void births_start();

/// The image of a thread is about to be made: marks it if its end is wanted.
void births_mark(Thread &thread);
/// A thread is about to be sent to `to`; it did not go after all; it has arrived there (the record here, out of the
/// table, still says how it left); it arrived here.
void births_leaving(const Thread &thread, int to);
void births_stayed(uint64_t id);
void births_departed(const Thread &thread, int to);
void births_arrived(uint64_t id);
/// Whether a thread born here is away, as far as this node knows.
bool births_is_away(uint64_t id);

/// Print which threads born here were on `dead`, and fail those who wait for them. Whether main was.
bool births_report_death(int dead, uint64_t living_there);
/// Forget who was away and who asked. In a run nobody comes back who has died, so this is for the fuzzer alone, whose
/// peer dies a thousand times a second: each death would walk through all that were lost before.
void births_forget();

/// A thread born here has to answer `call` of node `from`: if it is lost with another node before it has ended, the
/// call fails. (If it has answered before, nobody waits for the second answer.) Only in a run that survives deaths.
void births_answer_if_lost(uint64_t thread, int from, uint64_t call);

/// A `call` that was begun here, to thread_id_node(thread), is answered when that thread ends or is lost, as a `join`.
void births_tell_end(uint64_t thread, uint64_t call);

} // namespace skein

#endif
