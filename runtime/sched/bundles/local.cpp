// The policies `local` and `affinity`: a queue a worker. They differ in whose queue a thread goes to when it is ready
// again: that of the worker where this happens, which has just touched what the thread waited for, or that of the
// worker where it ran last, whose caches still hold its stack.
//
// A worker whose queue is empty takes from the others, beginning anywhere. A thread that yields looks at one other
// queue, if its own is empty, so that it does not keep its worker from what waits behind a thread that computes for
// long.
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
  }
  return SKEIN_OK;
}

void close(skein_bundle *bundle) { memory_free(bundle->data, bytes); }

template <bool Affinity> void ready(skein_bundle *bundle, skein_tcb *tcb, unsigned worker) {
  Thread *thread = thread_of(tcb);
  queue_push(queues_of(bundle)[Affinity && thread->stack ? thread->worker : worker], thread);
}

void ready_all(skein_bundle *bundle, skein_tcb *const *tcbs, unsigned count, unsigned worker) {
  queue_push_all(queues_of(bundle)[worker], reinterpret_cast<Thread *const *>(tcbs), count);
}

skein_tcb *idle(skein_bundle *bundle, unsigned worker) {
  ReadyQueue *queues = queues_of(bundle);
  if (Thread *thread = queue_pop(queues[worker]))
    return tcb_of(thread);
  const uint32_t n = workers_running();
  if (n == 1)
    return nullptr;
  const uint32_t start = xorshift(queues[worker].random);
  for (uint32_t i = 0; i < n; i++)
    if (const uint32_t victim = (start + i) % n; victim != worker)
      if (Thread *thread = queue_pop(queues[victim]))
        return tcb_of(thread);
  return nullptr;
}

skein_tcb *yielded(skein_bundle *bundle, skein_tcb *tcb, unsigned worker) {
  ReadyQueue *queues = queues_of(bundle);
  if (Thread *next = queue_exchange(queues[worker], thread_of(tcb)))
    return tcb_of(next);
  const uint32_t n = workers_running();
  if (n == 1)
    return nullptr;
  const uint32_t victim = xorshift(queues[worker].random) % n;
  Thread *next = victim == worker ? nullptr : queue_pop(queues[victim]);
  if (!next)
    return nullptr;
  queue_push(queues[worker], thread_of(tcb));
  return tcb_of(next);
}

int take(skein_bundle *, skein_tcb *tcb) {
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

template <bool Affinity> constexpr skein_bundle_events policy(const char *name) {
  return {.name = name,
          .open = open,
          .close = close,
          .thread_unblocked = ready<Affinity>,
          .thread_yielded = yielded,
          .processor_idle = idle,
          .take = take,
          .outgoing = outgoing,
          .threads_unblocked = Affinity ? nullptr : ready_all};
}

} // namespace

} // namespace skein

extern "C" {
constinit const skein_bundle_events skein_bundle_local = skein::policy<false>("local");
constinit const skein_bundle_events skein_bundle_affinity = skein::policy<true>("affinity");
}
