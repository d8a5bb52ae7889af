// The policy `local`: one queue for each worker (queue.h). A thread that becomes ready goes to the queue of the worker
// where this happens, whose cache holds what the thread waited for.
//
// A worker whose queue is empty takes threads from the others, beginning with a random one. When a thread yields and
// its worker's own queue is empty, one other queue is looked at, so that a thread that yields in a loop does not keep
// its worker from what waits behind a thread that computes for long.
//
// Rejected: queues that only their workers touch, which hand a thread over to each thief that asks (Acar, Charguéraud
// and Rainey, Scheduling Parallel Programs by Work Stealing with Private Deques, PPoPP 2013): a worker that computes
// for long answers nobody. Ours asks, too (queue.h), but does not rely on it.
//
// Rejected: a deque without a lock (Chase and Lev, Dynamic Circular Work-Stealing Deque, 2005), which was the policy
// `stealing` before this one. Our lock, for which only thieves contend, costs what the deque's fence and its claim of
// an entry cost; and a deque neither orders threads that yield nor lets go of a thread in its middle.
#include "base/random.h"
#include "os/linux/memory.h"
#include "sched/bundles/queue.h"
#include "sched/worker.h"

#include <new>

namespace skein {

namespace {

constexpr size_t bytes = workers_most * sizeof(ReadyQueue); // whole pages, touched only where there are workers
static_assert(bytes % 4096 == 0);

ReadyQueue *queues_of(skein_bundle *bundle) { return static_cast<ReadyQueue *>(bundle->data); }

int open(skein_bundle *bundle) {
  bundle->data = memory_allocate(bytes);
  if (!bundle->data)
    return SKEIN_EMEMORY;
  for (uint32_t i = 0, n = workers_count(); i < n; i++) {
    auto *queue = new (queues_of(bundle) + i) ReadyQueue();
    queue->random = i * 0x9e3779b1u | 1;
    queue->lock.set_owner(workers + i);
  }
  return SKEIN_OK;
}

void close(skein_bundle *bundle) { memory_free(bundle->data, bytes); }

/// Whether the caller is that worker.
bool is_own(unsigned worker) { return skein_processor == workers + worker; }

void ready(skein_bundle *bundle, skein_tcb *tcb, unsigned worker) {
  ReadyQueue &queue = queues_of(bundle)[worker];
  queue_push(queue, thread_of(tcb));
  if (is_own(worker))
    queue_answer(queue, 1);
}

void ready_all(skein_bundle *bundle, skein_tcb *const *tcbs, unsigned count, unsigned worker) {
  ReadyQueue &queue = queues_of(bundle)[worker];
  queue_push_all(queue, reinterpret_cast<Thread *const *>(tcbs), count);
  if (is_own(worker))
    queue_answer(queue, 1);
}

skein_tcb *local_idle(skein_bundle *bundle, unsigned worker) {
  ReadyQueue *queues = queues_of(bundle);
  queue_answer(queues[worker], 2); // one is for this worker
  const Thread *wanted = workers[worker].wanted.load(std::memory_order_relaxed);
  workers[worker].wanted.store(nullptr, std::memory_order_relaxed);
  if (Thread *thread = queue_pop(queues[worker], wanted))
    return tcb_of(thread);
  const uint32_t n = workers_running();
  if (n == 1)
    return nullptr;
  const uint32_t start = xorshift(queues[worker].random);
  for (uint32_t i = 0; i < n; i++)
    if (const uint32_t victim = (start + i) % n; victim != worker)
      if (Thread *thread = queue_ask(queues[victim], queues[worker]))
        return tcb_of(thread);
  return nullptr;
}

skein_tcb *yielded(skein_bundle *bundle, skein_tcb *tcb, unsigned worker) {
  ReadyQueue *queues = queues_of(bundle);
  queue_answer(queues[worker], 1);
  if (Thread *next = queue_exchange(queues[worker], thread_of(tcb)))
    return tcb_of(next);
  const uint32_t n = workers_running();
  if (n == 1)
    return nullptr;
  const uint32_t victim = xorshift(queues[worker].random) % n;
  Thread *next = victim == worker ? nullptr : queue_steal(queues[victim]);
  if (!next)
    return nullptr;
  queue_push(queues[worker], thread_of(tcb));
  return tcb_of(next);
}

int local_take(skein_bundle *, skein_tcb *tcb) {
  Thread *thread = thread_of(tcb);
  while (auto *queue = static_cast<ReadyQueue *>(thread->bundle_data.load(std::memory_order_relaxed)))
    if (queue_take_this(*queue, thread))
      return 1;
  return 0;
}

skein_tcb *outgoing(skein_bundle *bundle, skein_wanted wanted, unsigned worker) {
  const uint32_t n = workers_running();
  for (uint32_t i = 1; i <= n; i++)
    if (Thread *thread = queue_take(queues_of(bundle)[(worker + i) % n], wanted))
      return tcb_of(thread);
  return nullptr;
}

} // namespace

} // namespace skein

extern "C" {
constinit const skein_bundle_events skein_bundle_local = {.name = "local",
                                                          .open = skein::open,
                                                          .close = skein::close,
                                                          .thread_unblocked = skein::ready,
                                                          .thread_yielded = skein::yielded,
                                                          .processor_idle = skein::local_idle,
                                                          .take = skein::local_take,
                                                          .outgoing = skein::outgoing,
                                                          .threads_unblocked = skein::ready_all};
}
