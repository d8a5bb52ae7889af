// Objects of synchronisation that work on every node: semaphores, mutexes, conditions, barriers, latches, futures,
// reductions, broadcasts. What programs see is in <skein/global.h> and <skein/shared.h>.
//
// A handle names the node of an object, its *home*, and its number there; numbers are never used again. All kinds are
// built alike: an object is a few words and a queue of *waiters* at its home. An operation is a request to the home,
// from another node or from the home itself, and is *granted* at once or later by a reply, with a code and perhaps a
// value. The kinds differ only in what an operation does to the words, and in which waiters it grants (object_steps.h).
//
//     caller -- operation --> home: step -- granted now ------------------> reply
//                               |                                             ^
//                               +-- queued: a waiter ... granted by another --+
//
// A waiter is known by the call that its reply answers (net/messages/calls.h) and by the id of its thread. So a mutex
// belongs to its thread wherever that moves. Where the thread is when it is granted, the node knows that the thread
// waited on (net/moves/awaits.h: the thread may have been pushed away meanwhile).
//
// All objects of a node are under one lock. An operation is a few dozen instructions, and most come by messages, which
// are handled one at a time anyway. Replies are sent after the lock is released.
//
// A node that leaves the run (net/run/leaving.h) passes its objects on to its heir, under their handles. That is sound
// because an object is no more than its words and its queue, and all that is done to it comes by messages, which are
// handled one at a time: between two of them an object may lie anywhere. The last one that the node handles is before
// the objects are written down, and the first one that the heir handles is after they are there. A waiter stands under
// the call of the node that asked, and the heir answers that call as the home would have (kept, net/messages/calls.h).
// No waiter is of the node that leaves, since that has no call under way. What the node did not know any more when it
// wrote them down (that another node died) the heir makes good when it takes them (object_estate.h).
//
// Rejected: objects in shared memory with waiters that poll; a copy of the queue for each kind.
#ifndef SKEIN_DSM_OBJECTS_H
#define SKEIN_DSM_OBJECTS_H

namespace skein {

void objects_start();

} // namespace skein

#endif
