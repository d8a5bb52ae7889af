// The policy `stealing`: a deque a worker, whose owner takes the latest and thieves the oldest (Chase and Lev, Dynamic
// Circular Work-Stealing Deque, 2005; with the fences of Lê, Pop, Cohen and Zappa Nardelli, 2013).
//
// A thread must be removable from the middle, when somebody pushes it elsewhere. So an entry of a deque is only a hint:
// it counts if the thread still says that it is held (`bundle_data`, exchanged by one winner). An entry that has become
// stale is skipped, or finds the thread held again and takes it before its turn, which does no harm; records of threads
// are never given back, so looking is safe.
//
// Only its owner may push to a deque. What becomes ready on other kernel threads, and what yields, goes to a queue
// beside it, first in first out, which is asked when the deque is empty, and at every 61st time.
#include "base/random.h"
#include "os/linux/memory.h"
#include "sched/bundles/queue.h"
#include "sched/worker.h"

#include <cstdlib>
#include <new>

namespace skein {

namespace {

constexpr unsigned queue_turn = 61;

class Deque {
public:
  /// By the owner. False without memory.
  bool push(Thread *thread) {
    const int64_t bottom = bottom_.load(std::memory_order_relaxed);
    const int64_t top = top_.load(std::memory_order_acquire); // pairs with the CAS of a thief
    Ring *ring = ring_.load(std::memory_order_relaxed);
    if (!ring || bottom - top >= ring->size) {
      ring = grow(ring, top, bottom);
      if (!ring)
        return false;
    }
    ring->at(bottom).store(thread, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release); // pairs with the acquire of bottom_ in steal
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return true;
  }

  /// By the owner: the latest.
  Thread *pop() {
    const int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    if (bottom < top_.load(std::memory_order_relaxed))
      return nullptr; // empty: top never falls, and nobody else raises bottom
    Ring *ring = ring_.load(std::memory_order_relaxed);
    bottom_.store(bottom, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst); // partner: the fence in steal
    int64_t top = top_.load(std::memory_order_relaxed);
    Thread *thread = nullptr;
    if (top <= bottom) {
      thread = ring->at(bottom).load(std::memory_order_relaxed);
      if (top != bottom)
        return thread;
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
        thread = nullptr; // a thief was faster
    }
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return thread;
  }

  /// By anybody: the oldest. `empty` if there was none; null and not empty: somebody else was faster.
  Thread *steal(bool &empty) {
    int64_t top = top_.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst); // partner: the fence in pop
    const int64_t bottom = bottom_.load(std::memory_order_acquire);
    empty = top >= bottom;
    if (empty)
      return nullptr;
    Thread *thread = ring_.load(std::memory_order_acquire)->at(top).load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
      return nullptr;
    return thread;
  }

  void free() {
    for (Ring *ring = ring_.load(std::memory_order_relaxed), *before; ring; ring = before) {
      before = ring->before;
      std::free(ring);
    }
  }

private:
  struct Ring {
    Ring *before; // a thief may still read it: freed with the deque; all of them are together as large as the last
    int64_t size; // a power of two
    std::atomic<Thread *> &at(int64_t index) {
      return reinterpret_cast<std::atomic<Thread *> *>(this + 1)[index & (size - 1)];
    }
  };

  Ring *grow(Ring *old, int64_t top, int64_t bottom) {
    const int64_t size = old ? 2 * old->size : 256;
    auto *ring = static_cast<Ring *>(std::malloc(sizeof(Ring) + static_cast<size_t>(size) * sizeof(Thread *)));
    if (!ring)
      return nullptr;
    ring->before = old;
    ring->size = size;
    for (int64_t i = top; i < bottom; i++)
      ring->at(i).store(old->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    ring_.store(ring, std::memory_order_release); // pairs with the acquire in steal
    return ring;
  }

  alignas(64) std::atomic<int64_t> top_{0};
  alignas(64) std::atomic<int64_t> bottom_{0};
  std::atomic<Ring *> ring_{nullptr};
};

struct Place {
  Deque deque;
  ReadyQueue queue;
  unsigned turns = 0;
};

constexpr size_t bytes = (workers_most * sizeof(Place) + 4095) / 4096 * 4096; // touched only where there are workers

Place *places_of(skein_bundle *bundle) { return static_cast<Place *>(bundle->data); }

int open(skein_bundle *bundle) {
  bundle->data = memory_allocate(bytes);
  if (!bundle->data)
    return SKEIN_EMEMORY;
  for (uint32_t i = 0, n = workers_count(); i < n; i++)
    (new (places_of(bundle) + i) Place())->queue.random = i * 0x9e3779b1u | 1;
  return SKEIN_OK;
}

void close(skein_bundle *bundle) {
  for (uint32_t i = 0, n = workers_count(); i < n; i++)
    places_of(bundle)[i].deque.free();
  memory_free(bundle->data, bytes);
}

/// Whether the entry was not stale.
bool claim(skein_bundle *bundle, Thread *thread) {
  void *held = bundle->data;
  // acquire: pairs with the release in ready.
  return thread->bundle_data.compare_exchange_strong(held, nullptr, std::memory_order_acquire,
                                                     std::memory_order_relaxed);
}

void ready(skein_bundle *bundle, skein_tcb *tcb, unsigned worker) {
  Thread *thread = thread_of(tcb);
  Place &place = places_of(bundle)[worker];
  const Worker *self = worker_current();
  if (self && self->index == worker) {
    thread->bundle_data.store(bundle->data, std::memory_order_release); // pairs with the acquire in claim
    if (place.deque.push(thread) || !claim(bundle, thread))
      return;
  }
  queue_push(place.queue, thread);
}

Thread *pop(skein_bundle *bundle, Place &place) {
  if (++place.turns % queue_turn == 0)
    if (Thread *thread = queue_pop(place.queue))
      return thread;
  while (Thread *thread = place.deque.pop())
    if (claim(bundle, thread))
      return thread;
  return queue_pop(place.queue);
}

Thread *steal(skein_bundle *bundle, Place &victim) {
  for (bool empty = false; !empty;)
    if (Thread *thread = victim.deque.steal(empty); thread && claim(bundle, thread))
      return thread;
  return queue_pop(victim.queue);
}

skein_tcb *idle(skein_bundle *bundle, unsigned worker) {
  Place *places = places_of(bundle);
  if (Thread *thread = pop(bundle, places[worker]))
    return tcb_of(thread);
  const uint32_t n = workers_running();
  const uint32_t start = xorshift(places[worker].queue.random);
  for (uint32_t i = 0; i < n; i++)
    if (const uint32_t victim = (start + i) % n; victim != worker)
      if (Thread *thread = steal(bundle, places[victim]))
        return tcb_of(thread);
  return nullptr;
}

skein_tcb *yielded(skein_bundle *bundle, skein_tcb *tcb, unsigned worker) {
  skein_tcb *next = idle(bundle, worker);
  if (next)
    queue_push(places_of(bundle)[worker].queue, thread_of(tcb));
  return next;
}

int take(skein_bundle *bundle, skein_tcb *tcb) {
  Thread *thread = thread_of(tcb);
  while (void *held = thread->bundle_data.load(std::memory_order_relaxed)) {
    if (held == bundle->data ? claim(bundle, thread) : queue_take_this(*static_cast<ReadyQueue *>(held), thread))
      return 1;
  }
  return 0;
}

skein_tcb *outgoing(skein_bundle *bundle, skein_wanted wanted, unsigned worker) {
  constexpr unsigned looks = 32; // at threads that may not leave, or are not wanted
  const uint32_t n = workers_running();
  for (uint32_t i = 1; i <= n; i++) {
    Place &victim = places_of(bundle)[(worker + i) % n];
    if (Thread *thread = queue_take(victim.queue, wanted))
      return tcb_of(thread);
    bool empty = false;
    for (unsigned look = 0; !empty && look < looks; look++) {
      Thread *thread = victim.deque.steal(empty);
      if (!thread || !claim(bundle, thread))
        continue;
      if (thread_fit(thread, wanted) != Fit::no)
        return tcb_of(thread);
      queue_push(victim.queue, thread);
    }
  }
  return nullptr;
}

} // namespace

} // namespace skein

extern "C" {
constinit const skein_bundle_events skein_bundle_stealing = {.name = "stealing",
                                                             .open = skein::open,
                                                             .close = skein::close,
                                                             .thread_unblocked = skein::ready,
                                                             .thread_yielded = skein::yielded,
                                                             .processor_idle = skein::idle,
                                                             .take = skein::take,
                                                             .outgoing = skein::outgoing};
}
