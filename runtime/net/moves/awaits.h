// Threads that move while they wait: pushed away while blocked on an object of another room (dsm/objects), and woken
// where they are by then.
//
// Who knows what. The home of the object knows a waiter by a call of the node that asked (net/messages/calls.h), and
// hears nothing of moves. So the node that a thread leaves keeps the call, and passes the answer on to where the thread
// went:
//
//     A: call 7, waiter T        T is pushed to B               B: T blocked, call 3: "answer call 7 of A"
//        call 7, a wait that T   -------- image, 7 of A ------>    |
//        left behind: its        <------- await (7, call 3) ------ +
//        answer is kept, or      -------- reply to 3 ------------> T goes on
//        passed on
//
// B's call 3 is a wait like any other: when T goes on to C, B keeps call 3, and the answer goes along the way that T
// went while it waited, once.
//
//  * Who takes the call takes the thread, under the lock of the calls: either its answer, which wakes it, or whoever
//    pushes it. Never both, and nobody else may touch a blocked thread.
//  * The answer comes while T is in flight: A keeps it until T asks for it, or is back.
//  * T is refused, or may not leave: A gives the call back to T, which waits as if nothing had been; if the answer came
//    meanwhile, it goes on with that.
//  * B asks for each T that arrives, once. A's answer may overtake A's verdict or the other way round; neither matters.
//  * B dies: T is lost with it, or the shipment is; A forgets the wait when the answer has come.
//  * A dies while T waits at B: B's call fails as all calls to A do, and T goes on with SKEIN_EDEAD, which names A. The
//    home forgets the waiters of a dead node by itself (dsm/objects.h).
//
// Results are written where the waiter wants them, by whoever wakes it. So they travel with their place: as a distance
// from the stack's end, or an address in private memory, which is the same everywhere. Who wants them elsewhere stays.
//
// Rejected: telling the home where the waiter is now (then the answer, the news and the thread race on three ways, and
// all of it again with each move); leaving the queue and queueing again (a waiter would lose its turn by being moved).
#ifndef SKEIN_NET_MOVES_AWAITS_H
#define SKEIN_NET_MOVES_AWAITS_H

#include "net/messages/calls.h"

namespace skein {

/// Whether a thread that waits for results at `place` (or null) may be taken away meanwhile: whether that can go along.
bool await_may_leave(const Thread &self, const void *place);

/// Take a thread that waits for a movable call out of its wait, to be sent to `to`: it is in flight, the caller's, and
/// to be shipped or given to await_again. Null: it is in no such wait here. On a worker's stack or in a handler.
Thread *await_take(uint64_t id, int to);
/// It stays after all: it waits again, or goes on if the answer has come. From here on it is not the caller's.
void await_again(Thread *thread);
/// It was lost on its way.
void await_lost(const Thread *thread);
/// It arrived from node `from`: it waits here from now on, and is not the caller's any more.
void await_arrived(Thread *thread, int from);

/// `await` with AwaitWhat::answer from node `from`: wait `left` of this node is to be answered to its `call`.
void await_asked(int from, uint64_t call, uint64_t left);
/// The peer is dead. After link_forget.
void await_fail(int peer);

} // namespace skein

#endif
