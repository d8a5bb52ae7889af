// Threads that wait for long are taken off their stacks: a program compiled with -fskein-stacks=common may have
// millions of them. thread/parked.h says what is left of such a thread, and where that waits.
//
//     parked        it has waited while its worker has seen `park_after` other waits begin, and nothing is known that
//                   keeps it on its stack. Its live bytes are copied and relocated as in any other move, and a bit is
//                   set for each word that was; its stack and its record go to the next thread.
//     woken         the thread is given a record and a stack, any, and goes on as if it had been blocked all the time.
//                   If many threads are ready already, it waits its turn in a list instead, so that a barrier at which
//                   ten million threads wait does not need ten million stacks at once.
//     looked up     by its id (to join it, cancel it, push it to another node): it gets them before it is found.
//
// Only waits in which nobody but the object's ring leads to the thread may be spent in this way: WaitKind::parks.
//
// It is never wrong to park a thread that could leave its stack for another one: `movable` and the walk are asked as
// before every move, and what they refuse stays on its stack, which costs memory and nothing else. The way back is no
// walk: the words with a bit are all that change, so nothing can refuse it.
//
// Which threads wait for long is found out by counting the waits that begin, and not by a clock: a worker remembers the
// last of them, and parks the older half when there is no room for more. With few threads none is parked (fewer than
// some thousands: their stacks are in the caches, so that a wake takes half as long as parking and bringing back, and
// their memory is not worth it); one with many does it in batches, for which the program's variables are searched once.
// A worker parks only threads whose waits it has seen begin itself: as it runs no thread meanwhile, these began before
// the search.
//
// Rejected: parking every thread as soon as it waits (a lock that is held for microseconds would cost a microsecond);
// one stack for all threads of a worker, at one address, so that no word has to change (the threads could not go to
// another worker, and two of them could not be looked at together); a smaller record for all threads (most of its
// fields are wanted by every call).
#ifndef SKEIN_MIGRATE_PARKING_H
#define SKEIN_MIGRATE_PARKING_H

namespace skein {

/// Parks threads from now on, if the program or the knob `park` asks for it. Called once, before the first thread runs.
void parking_start();

} // namespace skein

#endif
