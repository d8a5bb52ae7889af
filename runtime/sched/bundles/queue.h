// Ready threads of one worker: first in, first out; threads that have not run yet wait apart, as thieves want them.
// What the policies `local` and `affinity` are made of. All functions take the queue's lock themselves; any kernel
// thread may call any of them.
#ifndef SKEIN_SCHED_BUNDLES_QUEUE_H
#define SKEIN_SCHED_BUNDLES_QUEUE_H

#include "base/lock.h"
#include "sched/bundle.h"

namespace skein {

struct alignas(64) ReadyQueue {
  SpinLock lock{Rank::queue};
  std::atomic<uint32_t> count{0}; // of both lists; written under the lock, read by anybody
  uint32_t turns = 0;             // started ones taken in a row while fresh ones waited
  uint32_t random = 1;            // where its worker looks for work next; its worker's
  List<Thread> started;
  List<Thread> fresh;
};

constexpr uint32_t queue_turns_most = 8; // started ones in a row while a fresh one waits

/// At the end. A thread's bundle_data is the queue that holds it, or null.
void queue_push(ReadyQueue &queue, Thread *thread);
/// Several, in order.
void queue_push_all(ReadyQueue &queue, Thread *const *threads, uint32_t count);
/// The one whose turn it is. Null if empty.
Thread *queue_pop(ReadyQueue &queue);
/// The one whose turn it is, and `running` goes to the end of the queue; null, and nothing happens, if it is empty.
Thread *queue_exchange(ReadyQueue &queue, Thread *running);
/// For a thief.
Thread *queue_take(ReadyQueue &queue, skein_wanted wanted);
/// By who is inside of alone_enter: at the end, of a fresh one; and its first fresh one, taken out as the one whose
/// turn it is.
void queue_push_fresh_alone(ReadyQueue &queue, Thread *thread);
void queue_take_fresh_alone(ReadyQueue &queue, Thread *thread);
/// Take this one out if it still is in this queue.
bool queue_take_this(ReadyQueue &queue, Thread *thread);

} // namespace skein

#endif
