// What threads do when they leave a node and arrive at one (<skein/move_handlers.h>).
//
// A thread's handlers are a list whose elements lie in its own memory, mostly in its frames. So they travel and are
// relocated like all else there, and only the place of the first one goes in the record: as a distance from the end of
// the stack, or as an address in private memory, both of which mean the same on every node.
//
//     exchange_ship, pack                 arrivals, unpack
//     leaves (newest first)  -- image --> restore, arrives (oldest first), ready
//          |
//          +-- stays after all: arrives, ready
//
// The station `leaves` comes before `capture` (movable.h): a handler may let go of what would keep the thread. Whoever
// called it calls `arrives` if the thread stays, so the two come in pairs. Both run while the thread is suspended and
// in nobody else's hands, where plain handlers of messages run, too: under link_exclusive, or in a worker that serves
// the thread's own call.
//
// An element whose function has returned is junk. Each one has a mark, made from its place, which the end of its life
// clears, and a function of the program has to begin where it says. The list is read as a whole before any function is
// called, and one that is not whole refuses the move, or the image.
//
// Rejected: to run them on the thread's own stack, in a frame below the suspended one. They could block, but a thief
// would have to wait until a scheduler has run the thread, and the walk would meet a frame that no call has made.
#ifndef SKEIN_MIGRATE_MOVE_HANDLERS_H
#define SKEIN_MIGRATE_MOVE_HANDLERS_H

#include "migrate/refusal.h"
#include "thread/thread.h"

#include <cstddef>
#include <cstdint>

namespace skein {

namespace move_handlers {

/// Calls `leaves` of all handlers of a suspended thread. False with a reason: none was called, and the thread stays.
bool leave(Thread &thread, int to, Refusal &why);
/// Calls `arrives` of all.
void arrive(Thread &thread, int from);
/// longjmp forgets the handlers of the functions that it ends.
void start();
/// Whether the list of an image is whole. The thread has its private memory; its stack will be `stack`, of which `live`
/// bytes are in use.
bool sound(uint64_t first, const Thread &thread, const Stack &stack, size_t live, Refusal &why);

} // namespace move_handlers

/// A thread is about to leave this node for `to`, or for SKEIN_IMAGE.
inline bool move_leaves(Thread &thread, int to, Refusal &why) {
  return !thread.move_handlers || move_handlers::leave(thread, to, why);
}
/// It has arrived from `from`, or from SKEIN_IMAGE; with this node's own number it stays after all.
inline void move_arrives(Thread &thread, int from) {
  if (thread.move_handlers)
    move_handlers::arrive(thread, from);
}

} // namespace skein

#endif
