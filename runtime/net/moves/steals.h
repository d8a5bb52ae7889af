// Steals: asking other nodes for ready threads, and answering. Whom the runtime asks by itself, and when, is decided by
// a balancing policy (room balance), which is called through `balancer`; what programs ask for is in
// <skein/migration.h>.
//
// Vocabulary. A *request* is one question to one node; the answer is `threads`, as many as the victim thinks fit or the
// request says, or `nothing`. A *raid* is what a program began: one request, or a chain of them until one brings
// something, or several at once.
//
// Invariants
//  * A request is answered in a handler, by whoever drives, also while all workers compute.
//  * A request is finished once: by its answer, or by the victim's death. A raid may be over before (its time is up);
//    threads that come later run here all the same.
#ifndef SKEIN_NET_MOVES_STEALS_H
#define SKEIN_NET_MOVES_STEALS_H

#include "net/wire/link.h"
#include "sched/sched.h"

namespace skein {

void steals_start();

/// Whether `from` was asked that, and has not answered; else it is rejected.
bool steal_asked(uint64_t request, int from);
/// A part of the answer to a request has come (ThreadsMessage): so many threads, and so many of them were accepted
/// here.
void steal_answered(int from, uint64_t request, uint32_t answer, uint32_t threads, uint32_t accepted);

/// Progress thread: raids whose time is up, and what the policy wants to do. Returns nanoseconds until it wants to be
/// called again, UINT64_MAX for never.
uint64_t steals_tick(uint64_t now);

/// How many raids have begun, and of how many whoever waits has been told. All that had begun at some moment between
/// raids_told() and a later raids_begun() were over by then if the two are equal.
uint64_t raids_told();
uint64_t raids_begun();

/// Ask `victim` for `most` threads (0: as it thinks fit) on behalf of the policy, which is told of the answer.
void steal_for_policy(int victim, uint32_t most);

/// The policy, as far as this room calls it. All but `idle` and `tick` in handlers.
struct Balancer {
  void (*idle)();                                         // a worker has nothing to do
  uint64_t (*tick)(uint64_t now);                         // as steals_tick
  void (*answered)(int victim, uint32_t threads);         // to steal_for_policy; 0 also if it is dead
  void (*denied)(int thief);                              // somebody asked, and got nothing
  void (*told)(int from, const void *data, size_t bytes); // a message of its own
  bool (*on)();                                           // whether it may move threads just now
};
extern Balancer balancer;

/// A random number for choosing; any kernel thread.
uint32_t steals_random();

} // namespace skein

#endif
