// An idle node gets work by asking others for threads that are ready: it steals. This file has the requests and the
// answers. When the runtime steals by itself, and from whom, is decided by a balancing policy (room balance), which is
// called through `balancer`; the functions with which programs steal are in <skein/migration.h>.
//
// A *request* is one question to one node. The answer is `threads`, at most as many as the request says, or half of
// what is ready if it says 0; or `nothing`. A *raid* is what a program began: one request, or a chain of requests until
// one is answered with threads, or several requests at once.
//
// Invariants
//  * A request is answered in a handler, by whichever kernel thread drives the transport, also while all workers
//    compute.
//  * A request is finished once: by its answer, or by the victim's death. The raid may be over before, if its time is
//    up; threads that come later run here all the same.
#ifndef SKEIN_NET_MOVES_STEALS_H
#define SKEIN_NET_MOVES_STEALS_H

#include "net/wire/link.h"
#include "sched/sched.h"

namespace skein {

void steals_start();

/// Whether node `from` owes the answer to a request; if not, it is rejected.
bool steal_asked(uint64_t request, int from);
/// A part of the answer to a request has come (ThreadsMessage): so many threads, of which so many were accepted here.
/// `answer` is the number of threads in all parts, 0 unless this is the last.
void steal_answered(int from, uint64_t request, uint32_t answer, uint32_t threads, uint32_t accepted);

/// For the progress thread: ends raids whose time is up, and calls the policy. Returns nanoseconds until it is to be
/// called again, UINT64_MAX for never.
uint64_t steals_tick(uint64_t now);

/// How many raids have begun, and of how many the waiting threads have been told. If raids_told() and a later
/// raids_begun() are equal, there was a moment between the two calls at which no raid was under way.
uint64_t raids_told();
uint64_t raids_begun();

/// Asks `victim` for `most` threads (0: half of what is ready) on behalf of the policy, which is told of the answer
/// together with `turn`, a number of its own.
void steal_for_policy(int victim, uint32_t most, uint64_t turn);

/// The policy, as far as this room calls it. All but `idle` and `tick` are called in handlers.
struct Balancer {
  void (*idle)();                 // a worker has nothing to do
  uint64_t (*tick)(uint64_t now); // called by steals_tick, returns as that does
  // To steal_for_policy; 0 threads also if the victim died.
  void (*answered)(int victim, uint32_t threads, uint64_t turn);
  void (*denied)(int thief);                                               // somebody asked, and got nothing
  void (*told)(int from, uint64_t policy, const void *data, size_t bytes); // a message of a policy
  bool (*on)();                                                            // whether it may move threads just now
};
extern Balancer balancer;

/// A random number for choosing a victim. Any kernel thread may call it.
uint32_t steals_random();

} // namespace skein

#endif
