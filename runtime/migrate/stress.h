// Relocation stress: a program compiled with -fskein-stress=calls calls __skein_stress at entry of and around every
// call that may migrate, and each time its stack moves to a place where it was not lately, while the old one is filled
// with junk and made inaccessible. A pointer that the maps missed is then not slightly but loudly wrong.
//
//     call __skein_stress --> counts down, mostly returns here    (stress.S; stress_every=K thins it out)
//                         \-> suspends the thread; stress_call on the worker's stack: move, retire, resume
//
// At least 61 places rotate (thread/stack.h): two alternating ones would hide an address that was missed an even number
// of times. The choice of moves for K > 1 is a sequence of distances in [1, 2K - 1] made from `seed`, one per worker.
//
// Knobs: stress_every, seed, stress_report, stress_via (move: relocate in place; image: through capture and restore,
// in this process), stress_refused (abort: a refused move ends the program with status 3, for tests).
#ifndef SKEIN_MIGRATE_STRESS_H
#define SKEIN_MIGRATE_STRESS_H

#include "thread/thread.h"

namespace skein {

// If set, called instead of a move at every migration point, on the worker's stack; returns the thread to resume. The
// random walk between nodes (net/moves/random_walk.h) sets it.
extern Thread *(*stress_walk)(Thread *self);

// Exit status of a program whose move was refused under stress_refused=abort.
inline constexpr int stress_refused_status = 3;

} // namespace skein

#endif
