// A thread can be joined, detached or cancelled from any node, and after a death it must be known which threads were
// lost. But threads move on without telling everybody. So each thread is known at its *birth node* (the high bits of
// its id) as long as it lives: in the thread table while it is there, else in a record here that says where it went
// last. Whether a thread has a record is a fact about its life; the place in the record is a hint.
//
//     at the birth node         T departs           `moved` (from each node T departs from)   `ended`
//     in the table  --------->  record {to, moves}  ------ the higher `moves` wins --------->  no record
//
// Invariants
//  * A record is made before the image is sent and removed after T is in the table again, so T is always in at least
//    one of the two.
//  * A `moved` that comes late changes only a record that exists and is older; it never makes one.
//
// The birth node keeps what a thread's function returned until the thread is joined (sync/join.h). The result travels
// there with `ended`, and on with the replies to `join`. Only the birth node knows that a thread is detached: the
// thread itself has the mark while it is there, else its record.
//
// docs/models/join.pml is a model of how joiners on all nodes hear of the end.
//
// To cancel a thread (skein_cancel), its birth node notes that in the record and tells the node where the thread went
// last. Whenever it hears that the thread has arrived somewhere else (by `moved`, or the verdict on its own shipment),
// it tells that node, too, until the thread is back or has ended. A node that is told too early or too late does not
// have the thread; it then sends its news at once, so that the birth node can tell the next one. So a thread that rests
// anywhere is found; one that never rests is found, as a rule, after some hops.
//
// Rejected: forwarding chains (a thread that has moved a thousand times leaves a thousand stops); asking everybody.
#ifndef SKEIN_NET_MOVES_BIRTHS_H
#define SKEIN_NET_MOVES_BIRTHS_H

#include "net/wire/link.h"
#include "thread/thread.h"

namespace skein {

void births_start();

/// The image of a thread is about to be made: marks the thread if somebody waits for its end.
void births_mark(Thread &thread);
/// The stages of a move, as this file has to know them: a thread is about to be sent to `to`; it stayed after all; it
/// has arrived at `to` (`thread` is the record here, out of the table); a thread has arrived here.
void births_leaving(const Thread &thread, int to);
void births_stayed(uint64_t id);
void births_departed(const Thread &thread, int to);
void births_arrived(uint64_t id);
/// Whether a thread born here is away, as far as this node knows.
bool births_is_away(uint64_t id);

/// Prints which threads born here were on node `dead`, and fails the threads that wait for them. True if main was among
/// them.
bool births_report_death(int dead, uint64_t living_there);
/// Forgets all records and all questions. For the fuzzer alone, whose peer dies a thousand times a second: each death
/// would walk through the records of all threads that were lost before. In a run no dead node comes back.
void births_forget();

/// A thread born here has to answer `call` of node `from`: if the thread is lost with another node before it has ended,
/// the call fails. (If the thread has answered by then, nobody waits for a second answer.) Does nothing unless the run
/// survives deaths.
void births_answer_if_lost(uint64_t thread, int from, uint64_t call);

/// Arranges that `call`, begun here to thread_id_node(thread), is answered as a `join` is when the thread ends or is
/// lost.
void births_tell_end(uint64_t thread, uint64_t call);

} // namespace skein

#endif
