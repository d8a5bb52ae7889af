// A thread may be pushed to another node while it waits for the answer to a call. The answer must still reach it, once,
// although the node that sends the answer knows only the node that asked. This happens to threads that wait for a
// synchronisation object over nodes (dsm/objects).
//
// The home of such an object knows a waiter by the number of the call that the asking node made
// (net/messages/calls.h), and hears nothing of moves. So the node that the thread departs from keeps the call as a
// *departed wait*, and passes the answer on to the node where the thread went:
//
//     A: call 7, waiter T        T is pushed to B               B: T blocked, call 3: "answer call 7 of A"
//        call 7, now a           -------- image, 7 of A ------>    |
//        departed wait: its      <------- await (7, call 3) ------ +
//        answer is kept, or      -------- reply to 3 ------------> T goes on
//        passed on
//
// B's call 3 is a wait like any other. When T goes on to C, B keeps call 3 as a departed wait in turn, and the answer
// follows the way that T went.
//
//  * The code that takes the call out of the table of calls takes the thread with it: either the handler of the answer,
//    which wakes the thread, or the function that pushes it. The lock of that table decides between the two, and
//    nothing else may touch a blocked thread.
//  * If the answer comes while T is in flight, A keeps it until B asks for it or T is back.
//  * If B refuses T, or T may not leave, A gives the call back to T, which waits as if nothing had happened. If the
//    answer has come meanwhile, T goes on with that.
//  * B asks once for each thread that arrives waiting. A's answer and A's verdict may overtake each other; neither
//    order does harm.
//  * If B dies, T is lost there or on its way. A drops the departed wait when the answer has come.
//  * If A dies while T waits at B, B's call fails as all calls to A do, and T goes on with SKEIN_EDEAD, which names A.
//    The home forgets the waiters of a dead node by itself (dsm/objects.h).
//  * If A is to leave the run, it has to stay until the answer has come. If T waits for a channel, that may be at once:
//    A asks the home to say "again" (await_recall), and T asks there itself. Elsewhere T would lose its turn, or its
//    part in a round.
//
// The handler that wakes the waiter writes its results to where the waiter wants them. So the place travels with the
// results: as a distance from the end of the stack, or as an address in private memory, which is the same everywhere. A
// thread that wants its results anywhere else stays.
//
// Rejected: telling the home where the waiter is now (the answer, the news and the thread would race on three ways, and
// again at each move); leaving the queue and queueing again (a waiter would lose its turn because it was moved).
#ifndef SKEIN_NET_MOVES_AWAITS_H
#define SKEIN_NET_MOVES_AWAITS_H

#include "net/messages/calls.h"

namespace skein {

/// Whether a thread that waits for results at `place` (or null, if it wants none) may move meanwhile: only if that
/// memory moves with it.
bool await_may_leave(const Thread &self, const void *place);

/// Takes a thread that waits for a movable call out of its wait, so that it can be sent to node `to`. The thread is in
/// flight and belongs to the caller, who ships it or calls await_again. Null if the thread is in no such wait here. To
/// be called on a worker's stack or in a handler.
Thread *await_take(uint64_t id, int to);
/// A thread from await_take stays after all: it waits again, or goes on if the answer has come. It does not belong to
/// the caller any more.
void await_again(Thread *thread);
/// A thread from await_take was lost on its way: nobody will want its answer.
void await_lost(const Thread *thread);
/// A thread arrived from node `from` in the middle of a wait. It waits here from now on, and does not belong to the
/// caller any more.
void await_arrived(Thread *thread, int from);

/// Node `from` asks (AwaitWhat::answer) that its `call` gets the answer to departed wait number `departed` of this
/// node.
void await_asked(int from, uint64_t call, uint64_t departed);
/// Whether a thread that has departed from here waits for an answer that comes, or has come, to this node.
bool awaits_departed();
/// This node is about to leave the run, and answers that are still to come would keep it. Those that can be had at once
/// are: who waits for a channel is told to ask again, and asks from where he is now. To be called again and again.
void await_recall();
/// Set by room channels: asks the node that has to answer that `call` about the channel for that.
extern void (*await_recalls)(uint64_t channel, uint64_t call);
/// The peer has died: threads that departed to it want no answers. To be called after link_forget.
void await_fail(int peer);

} // namespace skein

#endif
