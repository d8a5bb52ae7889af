// The random walk: every program a test of migration between processes.
//
// With SKEIN_OPTIONS=walk=on in a run of two nodes or more, a program that was compiled with -fskein-stress=calls moves
// at every walk_every-th migration point on average (entry of a function, before and after each call) to another node,
// chosen at random, main too. What cannot move goes on where it is, and the reason is counted. The nodes are processes
// at different load addresses, and a stack is hardly ever at the same place twice.
//
//     __skein_stress --> stress_walk = step: counts down; at 0 pushes the thread that called, as skein_push_self would
//
// Each node draws distances and destinations from a sequence of its own, made from `seed` and its number, and steps it
// only when a thread calls there. So the walk of a program with one thread is the same in every run with the same seed,
// unless a destination refuses. Nobody steals meanwhile.
//
// At exit each node reports how many walks left it and how many were refused, with the reasons.
#ifndef SKEIN_NET_MOVES_RANDOM_WALK_H
#define SKEIN_NET_MOVES_RANDOM_WALK_H

namespace skein {

/// Once, before threads run, in a run of several nodes.
void random_walk_start();

} // namespace skein

#endif
