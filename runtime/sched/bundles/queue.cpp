// Queues of ready threads; see queue.h.
#include "sched/bundles/queue.h"

namespace skein {

namespace {

void change_count(ReadyQueue &queue, uint32_t by) {
  queue.count.store(queue.count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

void put(ReadyQueue &queue, Thread *thread) {
  thread->bundle_data.store(&queue, std::memory_order_relaxed);
  (thread->stack ? queue.started : queue.fresh).push_back(thread);
}

Thread *next(ReadyQueue &queue) {
  Thread *thread;
  if (!queue.fresh.empty() && (queue.started.empty() || ++queue.turns > queue_started_most)) {
    queue.turns = 0;
    const bool oldest = ++queue.fresh_turns >= queue_fresh_most;
    if (oldest)
      queue.fresh_turns = 0;
    thread = oldest ? queue.fresh.pop_front() : queue.fresh.pop_back();
  } else {
    thread = queue.started.pop_front();
  }
  if (thread)
    thread->bundle_data.store(nullptr, std::memory_order_relaxed);
  return thread;
}

void take_out(ReadyQueue &queue, Thread *thread) {
  List<Thread>::remove(thread);
  change_count(queue, -1u);
  thread->bundle_data.store(nullptr, std::memory_order_relaxed);
}

} // namespace

void queue_push(ReadyQueue &queue, Thread *thread) {
  Guard guard(queue.lock);
  put(queue, thread);
  change_count(queue, 1);
}

void queue_push_all(ReadyQueue &queue, Thread *const *threads, uint32_t count) {
  Guard guard(queue.lock);
  for (uint32_t i = 0; i < count; i++)
    put(queue, threads[i]);
  change_count(queue, count);
}

Thread *queue_pop(ReadyQueue &queue) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  Guard guard(queue.lock);
  Thread *thread = next(queue);
  if (thread)
    change_count(queue, -1u);
  return thread;
}

Thread *queue_steal(ReadyQueue &queue) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  Guard guard(queue.lock);
  const bool started = !queue.started.empty() && (queue.fresh.empty() || ++queue.stolen > queue_stolen_most);
  if (started)
    queue.stolen = 0;
  Thread *thread = started ? queue.started.first() : queue.fresh.first();
  if (thread)
    take_out(queue, thread);
  return thread;
}

Thread *queue_exchange(ReadyQueue &queue, Thread *running) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  Guard guard(queue.lock);
  Thread *thread = next(queue);
  if (thread)
    put(queue, running);
  return thread;
}

Thread *queue_take(ReadyQueue &queue, skein_wanted wanted) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  Guard guard(queue.lock);
  // Each list by itself has one kind only: not one of thousands is looked at in vain, nor twice.
  const bool started = wanted == SKEIN_WANT_STARTED_FIRST || wanted == SKEIN_WANT_STARTED_ONLY;
  Thread *thread = first_wanted(started ? queue.started : queue.fresh, wanted);
  if (!thread && wanted == SKEIN_WANT_FRESH_FIRST)
    thread = first_wanted(queue.started, SKEIN_WANT_STARTED_ONLY);
  if (!thread && wanted == SKEIN_WANT_STARTED_FIRST)
    thread = first_wanted(queue.fresh, SKEIN_WANT_FRESH_ONLY);
  if (thread)
    take_out(queue, thread);
  return thread;
}

void queue_push_fresh_alone(ReadyQueue &queue, Thread *thread) {
  thread->bundle_data.store(&queue, std::memory_order_relaxed);
  queue.fresh.push_back(thread);
  change_count(queue, 1);
}

void queue_take_fresh_alone(ReadyQueue &queue, Thread *thread) {
  queue.turns = 0;
  queue.fresh_turns = (queue.fresh_turns + 1) % queue_fresh_most;
  take_out(queue, thread);
}

bool queue_take_this(ReadyQueue &queue, Thread *thread) {
  Guard guard(queue.lock);
  if (thread->bundle_data.load(std::memory_order_relaxed) != &queue)
    return false;
  take_out(queue, thread);
  return true;
}

} // namespace skein
