// The ready threads of one worker, as the policy `local` keeps them, in two lists: *started* threads have a stack,
// *fresh* ones have not run yet. All functions take the queue's lock themselves, and any kernel thread may call any of
// them, unless it is said otherwise.
//
//     started   oldest ................. newest        fresh   oldest ................. newest
//               its worker, thieves   <- woken,                thieves                 its worker  <- spawned
//                                        yields                (its worker now and then)
//
// To run the newest fresh thread first, or the one that is joined, is to go depth first: a program that forks and joins
// recursively has as many threads that have begun as its recursion is deep, and not as it is wide. The oldest one is
// the largest part of such a program's work that can be given away, so a thief takes it (Blumofe and Leiserson,
// *Scheduling Multithreaded Computations by Work Stealing*, JACM 1999; Mohr, Kranz and Halstead, *Lazy Task Creation*,
// TPDS 1991).
//
// A thief *asks* the queue's worker for a thread, if that alone uses its lock: the worker sees it when it next spawns,
// joins or ends a thread, and hands the oldest over, which takes neither of them a system call (base/biased_lock.h).
// Whoever gets no answer soon, since that worker computes, steals.
//
//     thief                                  worker
//     asked = mine  ---------------------->  takes `asked` and a thread out
//     waits for `given`  <-----------------  mine.given = thread
//
// No thread starves, by three rules:
//
// * Started threads go in turn, and those that yield or poll go behind all others. They go before fresh ones, each of
//   which needs another stack; but after `queue_started_most` of them in a row a fresh one goes, if one waits.
// * Of `queue_fresh_most` fresh threads in a row the last is the oldest, so that a thread spawned early does not wait
//   for ever behind those that come and go.
// * A thief takes fresh threads first, since they bring less along; but after `queue_stolen_most` of them in a row it
//   takes a started one, if one waits, since their worker may compute for long while other kernel threads give it fresh
//   ones.
#ifndef SKEIN_SCHED_BUNDLES_QUEUE_H
#define SKEIN_SCHED_BUNDLES_QUEUE_H

#include "base/biased_lock.h"
#include "sched/bundle.h"

namespace skein {

struct alignas(64) ReadyQueue {
  BiasedLock lock{Rank::queue};   // its owner is the queue's worker
  std::atomic<uint32_t> count{0}; // of both lists; written under the lock, read by anybody
  uint32_t turns = 0;             // started threads taken in a row while fresh ones waited
  uint32_t fresh_turns = 0;       // fresh threads taken since the turn of the oldest one
  uint32_t stolen = 0;            // fresh threads stolen in a row while started ones waited
  uint32_t random = 1; // state of the random choice of where its worker looks for work; only that worker uses it
  List<Thread> started;
  List<Thread> fresh;
  std::atomic<ReadyQueue *> asked{nullptr}; // the queue of a thief that waits for an answer
  std::atomic<Thread *> given{nullptr};     // the answer to this one's worker
  uint32_t asked_in_vain = 0;               // so many times that worker steals without asking
};

constexpr uint32_t queue_started_most = 8;
constexpr uint32_t queue_fresh_most = 256;
constexpr uint32_t queue_stolen_most = 8;

/// Puts the thread in as the newest. A thread's bundle_data is the queue that holds it, or null.
void queue_push(ReadyQueue &queue, Thread *thread);
/// Puts several threads in, in their order.
void queue_push_all(ReadyQueue &queue, Thread *const *threads, uint32_t count);
/// Takes out the thread whose turn it is (queue_turn), for the queue's worker. Null if the queue is empty.
Thread *queue_pop(ReadyQueue &queue, const Thread *wanted = nullptr);
/// Takes out a thread for another worker: the oldest fresh one, or the oldest started one when it is its turn. Null if
/// the queue is empty.
Thread *queue_steal(ReadyQueue &queue);
/// Takes a thread out for the worker of `mine`: asks for it, or steals it. Null if there is none.
Thread *queue_ask(ReadyQueue &queue, ReadyQueue &mine);
/// To be called by the queue's worker: answers who asked, if anybody did and there are `least` threads.
void queue_answer(ReadyQueue &queue, uint32_t least);
/// Takes out the thread whose turn it is, and puts `running` at the end of the queue. Null, and nothing happens, if the
/// queue is empty.
Thread *queue_exchange(ReadyQueue &queue, Thread *running);
/// Takes out a thread for another node.
Thread *queue_take(ReadyQueue &queue, skein_wanted wanted);
/// Takes out this thread, if it still is in this queue.
bool queue_take_this(ReadyQueue &queue, Thread *thread);

// For the quick ways (sched/quick.h): these are called by the queue's worker, which holds the lock.
/// The thread whose turn it is, or null if the queue is empty. Nothing changes. `wanted`: a record; if it is that of a
/// fresh thread of this queue, it is this one's turn rather than that of the newest.
Thread *queue_turn(const ReadyQueue &queue, const Thread *wanted = nullptr);
/// Takes that thread out, as queue_pop does.
void queue_take_turn(ReadyQueue &queue, Thread *thread);
/// Takes that thread out, and puts `running` at the end of the queue.
void queue_exchange_turn(ReadyQueue &queue, Thread *thread, Thread *running);
/// The same for a started thread.
void queue_exchange_started(ReadyQueue &queue, Thread *thread, Thread *running);
/// Whether it is the turn of a started thread, if there is one.
bool queue_started_may_go(const ReadyQueue &queue);
/// Counts that a started thread has had its turn.
void queue_started_goes(ReadyQueue &queue);

} // namespace skein

#endif
