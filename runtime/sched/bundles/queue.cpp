// Queues of ready threads; see queue.h.
#include "sched/bundles/queue.h"

#include "thread/table.h"

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

/// Takes a thread out for another worker; null if the queue is empty. Under its lock.
Thread *take_for_other(ReadyQueue &queue) {
  const bool started = !queue.started.empty() && (queue.fresh.empty() || ++queue.stolen > queue_stolen_most);
  if (started)
    queue.stolen = 0;
  Thread *thread = started ? queue.started.first() : queue.fresh.first();
  if (thread)
    take_out(queue, thread);
  return thread;
}

constexpr unsigned ask_looks = 100;     // some microseconds: less than to take the lock away costs both
constexpr uint32_t impatient_turns = 8; // after a question without an answer

/// Null: no answer has come.
Thread *ask(ReadyQueue &queue, ReadyQueue &mine) {
  ReadyQueue *nobody = nullptr;
  if (!queue.asked.compare_exchange_strong(nobody, &mine, std::memory_order_relaxed))
    return nullptr; // another thief waits
  Thread *thread = nullptr;
  for (unsigned i = 0; i < ask_looks && !thread; i++) {
    __builtin_ia32_pause();
    thread = mine.given.load(std::memory_order_acquire); // pairs with the release in queue_answer
  }
  if (!thread) {
    ReadyQueue *asker = &mine;
    if (queue.asked.compare_exchange_strong(asker, nullptr, std::memory_order_relaxed)) {
      mine.asked_in_vain = impatient_turns;
      return nullptr;
    }
    for (unsigned round = 0; !(thread = mine.given.load(std::memory_order_acquire));) // it is under way
      lock_wait_step(round);
  }
  mine.given.store(nullptr, std::memory_order_relaxed);
  return thread;
}

/// A started thread has its turn. Those behind it come next.
void fetch_behind(const ReadyQueue &queue, const Thread *thread) {
  const Thread *next = queue.started.after(thread);
  if (!next)
    return;
  thread_fetch_stack(next);
  if (const Thread *later = queue.started.after(next))
    thread_fetch_record(later);
}

/// Counts that `thread` has had its turn; it is about to be taken out.
void turn_over(ReadyQueue &queue, const Thread *thread) {
  if (!thread->stack) {
    queue.turns = 0;
    queue.fresh_turns = (queue.fresh_turns + 1) % queue_fresh_most;
  } else {
    queue_started_goes(queue);
    fetch_behind(queue, thread);
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

[[gnu::always_inline]] Thread *queue_turn(const ReadyQueue &queue, const Thread *wanted) {
  if (!queue.started.empty() && queue_started_may_go(queue))
    return queue.started.first();
  if (queue.fresh_turns + 1 >= queue_fresh_most)
    return queue.fresh.first();
  const bool is_here = wanted && wanted->bundle_data.load(std::memory_order_relaxed) == &queue && !wanted->stack;
  return is_here ? const_cast<Thread *>(wanted) : queue.fresh.last();
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
  fetch_behind(queue, thread);
  unlink(thread);
  running->bundle_data.store(&queue, std::memory_order_relaxed);
  queue.started.push_back(running); // a thread that runs has a stack
}

Thread *queue_pop(ReadyQueue &queue, const Thread *wanted) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  BiasedGuard guard(queue.lock, skein_processor);
  Thread *thread = queue_turn(queue, wanted);
  if (thread)
    queue_take_turn(queue, thread);
  return thread;
}

Thread *queue_steal(ReadyQueue &queue) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  BiasedGuard guard(queue.lock, skein_processor);
  return take_for_other(queue);
}

Thread *queue_ask(ReadyQueue &queue, ReadyQueue &mine) {
  if (!queue.count.load(std::memory_order_relaxed))
    return nullptr;
  if (!queue.lock.is_biased())
    return queue_steal(queue);
  if (mine.asked_in_vain) {
    mine.asked_in_vain--;
    return queue_steal(queue);
  }
  Thread *thread = ask(queue, mine);
  return thread ? thread : queue_steal(queue);
}

void queue_answer(ReadyQueue &queue, uint32_t least) {
  if (__builtin_expect(!queue.asked.load(std::memory_order_relaxed), 1))
    return;
  ReadyQueue *asker;
  Thread *thread;
  {
    BiasedGuard guard(queue.lock, skein_processor);
    if (queue.count.load(std::memory_order_relaxed) < least || !(asker = queue.asked.exchange(nullptr)))
      return;
    thread = take_for_other(queue);
  }
  thread_place(thread->id).lock().share(skein_processor); // the other worker will want it when the thread ends
  asker->given.store(thread, std::memory_order_release);  // pairs with the acquires in ask
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
