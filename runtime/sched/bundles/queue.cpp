// Queues of ready threads; see queue.h.
#include "sched/bundles/queue.h"

namespace skein {

bool queue_started_may_go(const ReadyQueue &queue) { return queue.fresh.empty() || queue.turns < queue_started_most; }

void queue_started_goes(ReadyQueue &queue) {
  if (!queue.fresh.empty())
    queue.turns++;
}

namespace {

void change_count(ReadyQueue &queue, uint32_t by) {
  queue.count.store(queue.count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

void put(ReadyQueue &queue, Thread *thread) {
  thread->bundle_data.store(&queue, std::memory_order_relaxed);
  (thread->stack ? queue.started : queue.fresh).push_back(thread);
}

void unlink(Thread *thread) {
  List<Thread>::remove(thread);
  thread->bundle_data.store(nullptr, std::memory_order_relaxed);
}

void take_out(ReadyQueue &queue, Thread *thread) {
  unlink(thread);
  change_count(queue, -1u);
}

/// Counts that `thread` has had its turn; it is about to be taken out.
void turn_over(ReadyQueue &queue, const Thread *thread) {
  if (!thread->stack) {
    queue.turns = 0;
    queue.fresh_turns = (queue.fresh_turns + 1) % queue_fresh_most;
  } else {
    queue_started_goes(queue);
  }
}

} // namespace

[[gnu::always_inline]] void queue_push(ReadyQueue &queue, Thread *thread) {
  BiasedGuard guard(queue.lock, skein_processor);
  put(queue, thread);
  change_count(queue, 1);
}

void queue_push_all(ReadyQueue &queue, Thread *const *threads, uint32_t count) {
  BiasedGuard guard(queue.lock, skein_processor);
  for (uint32_t i = 0; i < count; i++)
    put(queue, threads[i]);
  change_count(queue, count);
}

[[gnu::always_inline]] Thread *queue_turn(const ReadyQueue &queue) {
  if (!queue.started.empty() && queue_started_may_go(queue))
    return queue.started.first();
  return queue.fresh_turns + 1 < queue_fresh_most ? queue.fresh.last() : queue.fresh.first();
}

[[gnu::always_inline]] void queue_take_turn(ReadyQueue &queue, Thread *thread) {
  turn_over(queue, thread);
  take_out(queue, thread);
}

[[gnu::always_inline]] void queue_exchange_turn(ReadyQueue &queue, Thread *thread, Thread *running) {
  turn_over(queue, thread);
  unlink(thread);
  put(queue, running);
}

[[gnu::always_inline]] void queue_exchange_started(ReadyQueue &queue, Thread *thread, Thread *running) {
  queue_started_goes(queue);
  unlink(thread);
  running->bundle_data.store(&queue, std::memory_order_relaxed);
  queue.started.push_back(running); // a thread that runs has a stack
}

Thread *queue_pop(ReadyQueue &queue) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  BiasedGuard guard(queue.lock, skein_processor);
  Thread *thread = queue_turn(queue);
  if (thread)
    queue_take_turn(queue, thread);
  return thread;
}

Thread *queue_steal(ReadyQueue &queue) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  BiasedGuard guard(queue.lock, skein_processor);
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
  BiasedGuard guard(queue.lock, skein_processor);
  Thread *thread = queue_turn(queue);
  if (thread)
    queue_exchange_turn(queue, thread, running);
  return thread;
}

Thread *queue_take(ReadyQueue &queue, skein_wanted wanted) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  BiasedGuard guard(queue.lock, skein_processor);
  // Each list has threads of one kind only, so thousands of the wrong kind are not looked at in vain, and none is
  // looked at twice.
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

bool queue_take_this(ReadyQueue &queue, Thread *thread) {
  BiasedGuard guard(queue.lock, skein_processor);
  if (thread->bundle_data.load(std::memory_order_relaxed) != &queue)
    return false;
  take_out(queue, thread);
  return true;
}

} // namespace skein
