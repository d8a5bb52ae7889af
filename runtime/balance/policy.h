// The policy in force: found by its name, called by net, and what it may do. <skein/policy.h> has the interface, which
// the policies of this room use as any other.
//
// Invariants
//  * A policy's functions run under link_exclusive, one at a time, and not as part of a Skein thread (active.h). So
//    they need no locks, and a node whose policy holds a thread is never taken to be at rest.
//  * While balancing is switched off only `answered` and `told` are called, so that no news are lost.
//  * Another policy may be put in force while the run goes on, and nodes change at different moments. A message says
//  which
//    policy has sent it, and a question which one has asked; no policy gets those of another one.
//
// Rejected: policies as bundles (a bundle decides which thread, and knows one node; a policy decides where, for all of
// them); one policy for each bundle (their decisions would contradict each other).
#ifndef SKEIN_BALANCE_POLICY_H
#define SKEIN_BALANCE_POLICY_H

#include <cstddef>

namespace skein {

/// Finds the policy that the knob names, and ends the process with status 2 if there is none. Called before net_start.
void balance_start();

/// The name of the policy; "none" for a node alone. Whether it is switched on, and a switch for the whole run
/// (skein_stealing_set), which is not for a node alone.
const char *balance_policy();
bool balance_is_on();
void balance_set(bool to);
/// For the report: it has sent so many threads to that node.
void balance_note_pushed(int to, unsigned threads);
/// Puts the policy of that name in force on all nodes, one after the other; not for a node alone. False: there is none,
/// and `names` lists those that there are.
bool balance_choose(const char *name, char *names, size_t bytes);

} // namespace skein

#endif
