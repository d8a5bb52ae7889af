// Ready threads of one worker, in two lists: *started* ones, which have a stack, and *fresh* ones, which have not run
// yet. What the policy `local` is made of. All functions take the queue's lock themselves; any kernel thread may call
// any of them.
//
//     started   oldest ................. newest        fresh   oldest ................. newest
//               its worker, thieves   <- woken,                thieves                 its worker  <- spawned
//                                        yields                (its worker now and then)
//
// The newest fresh one first is depth first: a program that forks and joins recursively has as many threads that have
// begun as its recursion is deep, and not as it is wide. The oldest one is the largest part of such a program's work
// that can be given away, so it is what a thief wants (Blumofe and Leiserson, *Scheduling Multithreaded Computations by
// Work Stealing*, JACM 1999; Mohr, Kranz and Halstead, *Lazy Task Creation*, TPDS 1991).
//
// Nobody starves. Started threads go in turn, those that yield or poll behind all others, and they go before fresh
// ones, each of which needs another stack; but after `queue_started_most` of them in a row a fresh one goes that waits.
// Of `queue_fresh_most` fresh ones in a row the last is the oldest, so that one that was spawned first does not wait
// for ever behind those that come and go. Thieves take fresh ones first, which have less to bring along; but after
// `queue_stolen_most` of them in a row a started one goes that waits, since its worker may compute for long while other
// kernel threads give it fresh ones.
#ifndef SKEIN_SCHED_BUNDLES_QUEUE_H
#define SKEIN_SCHED_BUNDLES_QUEUE_H

#include "base/biased_lock.h"
#include "sched/bundle.h"

namespace skein {

struct alignas(64) ReadyQueue {
  BiasedLock lock{Rank::queue};   // its worker's
  std::atomic<uint32_t> count{0}; // of both lists; written under the lock, read by anybody
  uint32_t turns = 0;             // started ones taken in a row while fresh ones waited
  uint32_t fresh_turns = 0;       // fresh ones taken since it was the oldest one's turn
  uint32_t stolen = 0;            // fresh ones stolen in a row while started ones waited
  uint32_t random = 1;            // where its worker looks for work next; its worker's
  List<Thread> started;
  List<Thread> fresh;
};

constexpr uint32_t queue_started_most = 8;
constexpr uint32_t queue_fresh_most = 256;
constexpr uint32_t queue_stolen_most = 8;

/// As the newest. A thread's bundle_data is the queue that holds it, or null.
void queue_push(ReadyQueue &queue, Thread *thread);
/// Several, in order.
void queue_push_all(ReadyQueue &queue, Thread *const *threads, uint32_t count);
/// The one whose turn it is, for its worker. Null if empty.
Thread *queue_pop(ReadyQueue &queue);
/// For another worker: the oldest fresh one, or the oldest started one whose turn it is. Null if empty.
Thread *queue_steal(ReadyQueue &queue);
/// The one whose turn it is, and `running` goes to the end of the queue; null, and nothing happens, if it is empty.
Thread *queue_exchange(ReadyQueue &queue, Thread *running);
/// For another node.
Thread *queue_take(ReadyQueue &queue, skein_wanted wanted);
/// Take this one out if it still is in this queue.
bool queue_take_this(ReadyQueue &queue, Thread *thread);

// For quick ways (sched/quick.h), by the queue's worker, who holds the lock.
/// The one whose turn it is; null if empty. Nothing changes.
Thread *queue_turn(const ReadyQueue &queue);
/// It is taken out, as by queue_pop.
void queue_take_turn(ReadyQueue &queue, Thread *thread);
/// The same, and `running` goes to the end of the queue.
void queue_exchange_turn(ReadyQueue &queue, Thread *thread, Thread *running);
/// The same of a started one.
void queue_exchange_started(ReadyQueue &queue, Thread *thread, Thread *running);
/// Whether it is the turn of a started one, if there is one; and it goes.
bool queue_started_may_go(const ReadyQueue &queue);
void queue_started_goes(ReadyQueue &queue);

} // namespace skein

#endif
