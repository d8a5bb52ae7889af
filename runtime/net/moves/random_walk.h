// Few programs move their threads often enough to test migration between processes. The random walk makes every program
// such a test.
//
// With SKEIN_OPTIONS=walk=on in a run of two nodes or more, a program that was compiled with -fskein-stress=calls moves
// each of its threads, main too, at every walk_every-th migration point on average (entry of a function, before and
// after each call) to another node, chosen at random. A thread that cannot move goes on where it is, and the reason is
// counted. The nodes are processes at different load addresses, and a stack is hardly ever at the same place twice.
//
//     __skein_stress --> stress_walk = walk_step, which counts down, and at 0 pushes the caller as skein_push_self does
//
// Each node draws distances and destinations from a random sequence of its own, made from `seed` and its number, which
// advances only when a thread calls there. So a program with one thread walks the same way in every run with the same
// seed, unless a destination refuses. Nodes do not steal meanwhile.
//
// At exit each node reports how many walks left it and how many were refused, with the reasons.
#ifndef SKEIN_NET_MOVES_RANDOM_WALK_H
#define SKEIN_NET_MOVES_RANDOM_WALK_H

namespace skein {

/// Called once, before threads run, in a run of several nodes.
void random_walk_start();

} // namespace skein

#endif
