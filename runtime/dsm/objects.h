// Objects of synchronisation that work on every node: semaphores, mutexes, conditions, barriers, latches, futures,
// reductions, broadcasts. What programs see is in <skein/global.h> and <skein/shared.h>.
//
// A handle names the node and the number of an object there; numbers are never used again. All kinds are one: an object
// is a few words and a queue of *waiters* on its home node, an operation is a request there, from another node or from
// the node itself, and is *granted* sooner or later by a reply, with a code and perhaps a value. What a kind is, is
// what its operations do to the words and who is granted (object_steps.h).
//
//     caller -- operation --> home: step -- granted now ------------------> reply
//                               |                                             ^
//                               +-- queued: a waiter ... granted by another --+
//
// A waiter is known by the call that its reply answers (net/messages/calls.h) and by its thread's id: so a mutex
// belongs to its thread wherever that goes, and where the thread is when its turn comes is the affair of the node that
// it waited on (net/moves/awaits.h: it may have been pushed away meanwhile).
//
// All objects of a node are under one lock: an operation is a few dozen instructions, most come by messages, which are
// handled one at a time anyway. Replies are sent after it is free.
//
// Rejected: objects in shared memory with waiters that poll; a copy of the queue for each kind.
#ifndef SKEIN_DSM_OBJECTS_H
#define SKEIN_DSM_OBJECTS_H

namespace skein {

void objects_start();

} // namespace skein

#endif
