// The policy in force: found by its name, called by net, and what it may do. <skein/policy.h> has the interface, which
// the policies of this room use as any other.
//
// Invariants
//  * A policy's functions run under link_exclusive, one at a time, with no Skein thread in sight (active.h): so they
//    need no locks, and a node whose policy holds a thread in its hands is never taken to be at rest.
//  * While balancing is switched off only news reach them, `answered` and `told`, so that none is lost.
//
// Rejected: policies as bundles (a bundle decides which thread, and knows one node; a policy decides where, for all of
// them); one policy a bundle (their decisions would contradict each other).
#ifndef SKEIN_BALANCE_POLICY_H
#define SKEIN_BALANCE_POLICY_H

namespace skein {

/// Find the policy that the knob names; ends the process with status 2 if there is none. Before net_start.
void balance_start();

} // namespace skein

#endif
