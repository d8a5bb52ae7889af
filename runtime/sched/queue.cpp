// Queues of ready threads; see queue.h.
//
// Started threads go before fresh ones, since each fresh one that is started needs another stack, and since a fresh one
// is the cheapest to give away. So that a thread that yields until a fresh one has done something does not wait for
// ever, at most `turns_most` started ones in a row go before a waiting fresh one.
#include "sched/queue.h"

#include "abi/entry_points.h"

namespace skein {

namespace {

constexpr uint32_t turns_most = 8;

void put(ReadyQueue &queue, Thread *thread) {
  thread->queue.store(&queue, std::memory_order_relaxed);
  if (thread->stack) {
    thread->state.store(ThreadState::ready, std::memory_order_relaxed);
    queue.started.push_back(thread);
  } else {
    thread->state.store(ThreadState::initialised, std::memory_order_relaxed);
    queue.fresh.push_back(thread);
  }
}

void change_count(ReadyQueue &queue, uint32_t by) {
  queue.count.store(queue.count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

void set_running(Thread *thread) {
  thread->queue.store(nullptr, std::memory_order_relaxed);
  thread->settling = false;
  if (thread->interrupted.load(std::memory_order_relaxed))
    __skein_poll_flag = 1; // it has not polled since, perhaps on another worker
  if (thread->state.load(std::memory_order_relaxed) == ThreadState::ready)
    thread->state.store(ThreadState::running, std::memory_order_relaxed);
}

Thread *next(ReadyQueue &queue) {
  Thread *thread;
  if (!queue.fresh.empty() && (queue.started.empty() || ++queue.turns > turns_most)) {
    queue.turns = 0;
    thread = queue.fresh.pop_front();
  } else {
    thread = queue.started.pop_front();
  }
  if (thread)
    set_running(thread);
  return thread;
}

void take_out(ReadyQueue &queue, Thread *thread) {
  List<Thread>::remove(thread);
  change_count(queue, -1u);
  thread->queue.store(nullptr, std::memory_order_relaxed);
  thread->state.store(ThreadState::in_flight, std::memory_order_relaxed);
}

Thread *first_free_to_go(List<Thread> &list) {
  for (Thread *thread = list.first(); thread; thread = list.after(thread))
    if (!thread->pinned_by && !thread->escaped && !thread->deep && !thread->settling)
      return thread;
  return nullptr;
}

} // namespace

void queue_push(ReadyQueue &queue, Thread *thread) {
  Guard guard(queue.lock);
  put(queue, thread);
  change_count(queue, 1);
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

Thread *queue_exchange(ReadyQueue &queue, Thread *running) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  Guard guard(queue.lock);
  Thread *thread = next(queue);
  if (thread)
    put(queue, running); // the count never drops in between: an idle worker that looks sees that there is something
  return thread;
}

Thread *queue_pop_started(ReadyQueue &queue) {
  Guard guard(queue.lock);
  Thread *thread = queue.started.pop_front();
  if (thread) {
    change_count(queue, -1u);
    set_running(thread);
  }
  return thread;
}

bool queue_has_started(ReadyQueue &queue) {
  Guard guard(queue.lock);
  return !queue.started.empty();
}

Thread *queue_take(ReadyQueue &queue, Take what) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  Guard guard(queue.lock);
  Thread *thread = nullptr;
  if (what != Take::started_first && what != Take::started_only)
    thread = first_free_to_go(queue.fresh);
  if (!thread && what != Take::fresh_only)
    thread = first_free_to_go(queue.started);
  if (!thread && what == Take::started_first)
    thread = first_free_to_go(queue.fresh);
  if (thread) {
    take_out(queue, thread);
  }
  return thread;
}

bool queue_take_this(ReadyQueue &queue, Thread *thread) {
  Guard guard(queue.lock);
  if (thread->queue.load(std::memory_order_relaxed) != &queue)
    return false;
  take_out(queue, thread);
  return true;
}

} // namespace skein
