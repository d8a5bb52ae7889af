// Relocation stress finds pointers that the frame maps miss. A program compiled with -fskein-stress=calls calls
// __skein_stress at entry of and around every call that may migrate. Each time its stack moves to a place where it was
// not lately, and the old one is filled with junk and made inaccessible. So a program that follows a missed pointer
// fails at once and does not read something that is almost right.
//
//     call __skein_stress --> counts down, mostly returns here    (stress.S; stress_every=K thins it out)
//                         \-> suspends the thread; stress_call on the worker's stack: move, retire, resume
//
// At least 61 places rotate (thread/stack.h): two alternating ones would hide an address that was missed an even number
// of times. For K > 1 the distances between moves are pseudo-random numbers in [1, 2K - 1], made from `seed` for each
// worker.
//
// Knobs: stress_every, seed, stress_report, stress_via (move: relocate in place; image: through capture and restore,
// in this process), stress_refused (abort: a refused move ends the program with status 3, for tests).
#ifndef SKEIN_MIGRATE_STRESS_H
#define SKEIN_MIGRATE_STRESS_H

#include "thread/thread.h"

namespace skein {

// With check=stress all threads move when they go on after they have waited or yielded, however the program was
// compiled. Called once, before the first thread runs.
void stress_start();

// If this is set, it is called instead of a move at every migration point, on the worker's stack, and returns the
// thread to resume. The random walk between nodes (net/moves/random_walk.h) sets it.
extern Thread *(*stress_walk)(Thread *self);

// The exit status of a program whose move was refused under stress_refused=abort.
inline constexpr int stress_refused_status = 3;

} // namespace skein

#endif
