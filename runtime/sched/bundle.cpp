// How a thread passes between the scheduler and its bundle; see bundle.h. What programs call is in bundle_table.cpp,
// the policies of the library are in bundles/.
#include "sched/bundle.h"

#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/tally.h"
#include "base/uneven_barrier.h"
#include "sched/bundle_table.h"
#include "sched/worker.h"
#include "trace/trace.h"

#include <cstring>

namespace skein {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(skein_tcb, bundle) == offsetof(Thread, bundle));
static_assert(offsetof(skein_tcb, id) == offsetof(Thread, id));
static_assert(offsetof(skein_tcb, stamp) == offsetof(Thread, stamp));
static_assert(offsetof(skein_tcb, data) == offsetof(Thread, bundle_data));
static_assert(offsetof(skein_tcb, priority) == offsetof(Thread, priority));
static_assert(offsetof(skein_tcb, worker) == offsetof(Thread, worker));
#pragma GCC diagnostic pop

namespace {

std::atomic<uint32_t> outside_visits{0};
// The worker that the next event is said to happen on, if it happens outside of all workers.
std::atomic<uint32_t> outside_next{0};

void count_put(bool started) {
  tally(Tally::put);
  tally(Tally::put_started, started);
}

void count_got(bool started) {
  tally(Tally::got);
  tally(Tally::got_started, started);
}

/// While this lives, the kernel thread is inside of a handler of `bundle`. It has no events if the bundle is closed and
/// `patient` is false.
class Visit {
public:
  Visit(skein_bundle &bundle, bool patient) : worker_(worker_current()) {
    for (unsigned round = 0;; lock_wait_step(round)) {
      if (worker_)
        worker_->visits.store(worker_->visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      else
        outside_visits.fetch_add(1, std::memory_order_relaxed);
      barrier_light(); // partner: the heavy one in bundle_close
      events = bundle.events.load(std::memory_order_acquire);
      if (events || !patient)
        break;
      leave();
    }
    foreign_ = events && bundle.foreign;
    if (foreign_)
      // Inside of a program's handler a call that blocks is an error, and polls and relocation stress do nothing.
      skein_processor = nullptr;
  }
  ~Visit() {
    if (foreign_) {
      skein_processor = worker_;
      trace_time_passes();
    }
    leave();
  }
  Visit(const Visit &) = delete;

  /// The worker that the event is said to happen on.
  unsigned worker() const {
    return worker_ ? worker_->index : outside_next.fetch_add(1, std::memory_order_relaxed) % workers_running();
  }
  const skein_bundle_events *events;

private:
  void leave() {
    if (worker_)
      worker_->visits.store(worker_->visits.load(std::memory_order_relaxed) - 1, std::memory_order_release);
    else
      outside_visits.fetch_sub(1, std::memory_order_release);
  }
  Worker *worker_;
  bool foreign_;
};

void set_ready(Thread *thread) {
  thread->state.store(thread->stack ? ThreadState::ready : ThreadState::initialised, std::memory_order_relaxed);
  trace(TraceEvent::queued, thread->id); // before another worker can take it
}

/// A thread that a handler has let go of.
Thread *got(skein_tcb *tcb) {
  Thread *thread = thread_of(tcb);
  if (tcb->next) {
    // A program's own bundle left the link set. This must end here: nothing that follows would notice before a list
    // breaks.
    const skein_bundle *bundle = thread->bundle;
    fatal("bundle %s: its events '%s' let go of thread %s, whose `next` is not NULL", bundle->name,
          bundle->events.load(std::memory_order_relaxed)->name, thread_name(thread->id).text);
  }
  count_got(static_cast<bool>(thread->stack));
  trace(TraceEvent::unqueued, thread->id);
  return thread;
}

Thread *ask(skein_bundle &bundle, Worker &worker) {
  Visit visit(bundle, false);
  skein_tcb *tcb = visit.events ? visit.events->processor_idle(&bundle, worker.index) : nullptr;
  return tcb ? got(tcb) : nullptr;
}

Thread *pop_bound(Worker &worker) {
  if (!worker.bound_count.load(std::memory_order_relaxed))
    return nullptr;
  Guard guard(worker.bound_lock);
  Thread *thread = worker.bound.pop_front();
  if (thread) {
    worker.bound_count.fetch_sub(1, std::memory_order_release); // see workers_at_rest
    trace(TraceEvent::unqueued, thread->id);
  }
  return thread;
}

void push_bound(Thread *thread) {
  Worker &worker = workers[thread->worker];
  Guard guard(worker.bound_lock);
  SKEIN_ASSERT(thread->worker < workers_count(), "thread %s is bound to worker %u, which could not be started",
               thread_name(thread->id).text, thread->worker);
  set_ready(thread);
  worker.bound.push_back(thread);
  worker.bound_count.fetch_add(1, std::memory_order_relaxed);
}

/// A thread of any bundle; the bundle whose thread the worker ran last, and its parents, are asked first.
Thread *find_unbound(Worker &worker) {
  const uint32_t count = bundle_count();
  if (count == 1)
    return ask(*bundle_root, worker);
  if (++worker.turns >= SKEIN_BUNDLE_TURNS) {
    worker.turns = 0;
    for (uint32_t i = 0; i < count; i++) {
      skein_bundle &next = *bundle_at(++worker.rotation % count);
      if (&next != worker.bundle)
        if (Thread *thread = ask(next, worker))
          return thread;
    }
  }
  for (skein_bundle *bundle = worker.bundle; bundle; bundle = bundle->parent.load(std::memory_order_relaxed))
    if (Thread *thread = ask(*bundle, worker))
      return thread;
  for (uint32_t i = 0; i < count; i++)
    if (Thread *thread = ask(*bundle_at(++worker.rotation % count), worker))
      return thread;
  return nullptr;
}

/// A thread bound to this worker goes first, but only every other time: one that yields for ever must not keep the
/// others waiting.
Thread *find_ready(Worker &worker) {
  worker.bound_turn = !worker.bound_turn;
  Thread *thread = worker.bound_turn ? pop_bound(worker) : nullptr;
  if (!thread)
    thread = find_unbound(worker);
  if (!thread && !worker.bound_turn)
    thread = pop_bound(worker);
  return thread;
}

} // namespace

std::atomic<bool> main_stays{false};
std::atomic<bool> all_stay{false};
extern "C" void skein_main_stays(int stays) { main_stays.store(stays != 0, std::memory_order_relaxed); }

void thread_set_running(Worker &worker, Thread *thread) {
  thread->settling = false;
  thread->worker = worker.index;
  if (thread->interrupted.load(std::memory_order_relaxed))
    // It has not polled since it was interrupted, perhaps on another worker.
    __atomic_store_n(&__skein_poll_flag, 1, __ATOMIC_RELAXED);
  if (thread->stack)
    thread->state.store(ThreadState::running, std::memory_order_relaxed);
  trace(TraceEvent::runs, thread->id, trace_function(thread->start.function));
}

void bundle_put(Thread *thread, News news) {
  if (thread->bound) {
    push_bound(thread);
    return;
  }
  skein_bundle &bundle = *thread->bundle;
  thread->bundle_data.store(nullptr, std::memory_order_relaxed);
  set_ready(thread);
  count_put(static_cast<bool>(thread->stack));
  Visit visit(bundle, true);
  auto *handler = visit.events->thread_unblocked;
  if (news == News::created && visit.events->thread_created)
    handler = visit.events->thread_created;
  if (news == News::incoming && visit.events->incoming)
    handler = visit.events->incoming;
  handler(&bundle, tcb_of(thread), visit.worker());
}

void bundle_put_all(Thread *const *threads, uint32_t count) {
  for (Thread *const *const end = threads + count; threads != end;) {
    skein_bundle &bundle = *(*threads)->bundle;
    uint32_t same = 0, started = 0;
    for (; threads + same != end && threads[same]->bundle == &bundle; same++) {
      threads[same]->bundle_data.store(nullptr, std::memory_order_relaxed);
      set_ready(threads[same]);
      started += static_cast<bool>(threads[same]->stack);
    }
    tally(Tally::put, same);
    tally(Tally::put_started, started);
    Visit visit(bundle, true);
    const auto *tcbs = reinterpret_cast<skein_tcb *const *>(threads);
    if (visit.events->threads_unblocked)
      visit.events->threads_unblocked(&bundle, tcbs, same, visit.worker());
    else
      for (uint32_t i = 0; i < same; i++)
        visit.events->thread_unblocked(&bundle, tcbs[i], visit.worker());
    threads += same;
  }
}

void bundle_return(Thread *thread) {
  skein_bundle &bundle = *thread->bundle;
  thread->bundle_data.store(nullptr, std::memory_order_relaxed);
  Visit visit(bundle, true);
  visit.events->thread_unblocked(&bundle, tcb_of(thread), thread->worker);
}

Thread *bundle_next(Worker &worker) {
  Thread *thread = find_ready(worker);
  if (thread) {
    worker.bundle = thread->bundle;
    thread_set_running(worker, thread);
  }
  return thread;
}

Thread *bundle_next_started(Worker &worker) {
  List<Thread> fresh;
  Thread *thread;
  while ((thread = find_ready(worker)) && !thread->stack)
    fresh.push_back(thread);
  if (thread)
    thread_set_running(worker, thread);
  while (Thread *back = fresh.pop_back()) // in the order in which they became ready
    bundle_put(back, News::unblocked);
  return thread;
}

bool bundle_yield(Worker &worker, Thread *running, Thread *&next) {
  if (running->bound || worker.bound_count.load(std::memory_order_relaxed) ||
      (++worker.turns >= SKEIN_BUNDLE_TURNS && bundle_count() > 1)) {
    // Others may have a claim, so this is the long way. The count never drops in between, since the thread is put back
    // first.
    if (worker.bound_count.load(std::memory_order_relaxed) || bundles_ready()) {
      bundle_put(running, News::unblocked);
      next = bundle_next(worker); // perhaps the same one
      return true;
    }
    if (running->bound)
      return false;
  }
  skein_bundle &bundle = *running->bundle;
  Visit visit(bundle, true);
  if (visit.events->thread_yielded) {
    running->bundle_data.store(nullptr, std::memory_order_relaxed);
    set_ready(running);
    count_put(true);
    skein_tcb *tcb = visit.events->thread_yielded(&bundle, tcb_of(running), worker.index);
    if (!tcb) {
      count_got(true);
      trace(TraceEvent::unqueued, running->id);
      thread_set_running(worker, running);
      return false;
    }
    if (tcb == SKEIN_NOBODY)
      return true;
    next = got(tcb);
    thread_set_running(worker, next);
    return true;
  }
  skein_tcb *tcb = visit.events->processor_idle(&bundle, worker.index);
  if (!tcb)
    return false;
  next = got(tcb);
  thread_set_running(worker, next);
  running->bundle_data.store(nullptr, std::memory_order_relaxed);
  set_ready(running);
  count_put(true);
  visit.events->thread_unblocked(&bundle, tcb_of(running), worker.index);
  return true;
}

Thread *bundle_outgoing(skein_wanted wanted, const skein_bundle *only) {
  for (uint32_t i = 0, n = bundle_count(); i < n; i++) {
    skein_bundle &bundle = *bundle_at(i);
    if (bundle.definition == bundle_local || (only && only != &bundle))
      continue;
    Visit visit(bundle, false);
    if (!visit.events || !visit.events->outgoing || (visit.events->asked_only && !only))
      continue;
    if (skein_tcb *tcb = visit.events->outgoing(&bundle, wanted, visit.worker())) {
      Thread *thread = got(tcb);
      thread->state.store(ThreadState::in_flight, std::memory_order_relaxed);
      return thread;
    }
  }
  return nullptr;
}

bool bundle_take(Thread *thread) {
  skein_bundle &bundle = *thread->bundle;
  Visit visit(bundle, false);
  if (thread->bound || !visit.events || !visit.events->take || !visit.events->take(&bundle, tcb_of(thread)))
    return false;
  got(tcb_of(thread));
  thread->state.store(ThreadState::in_flight, std::memory_order_relaxed);
  return true;
}

Fit thread_fit(const Thread *thread, skein_wanted wanted) {
  if (!thread_may_leave(thread))
    return Fit::no;
  const bool started = wanted == SKEIN_WANT_STARTED_FIRST || wanted == SKEIN_WANT_STARTED_ONLY;
  if (static_cast<bool>(thread->stack) == started)
    return Fit::first;
  return wanted == SKEIN_WANT_FRESH_FIRST || wanted == SKEIN_WANT_STARTED_FIRST ? Fit::second : Fit::no;
}

Thread *first_wanted(const List<Thread> &list, skein_wanted wanted) {
  Thread *second = nullptr;
  // This many more are looked at once one would do: thieves that take n threads would else look at n * n.
  uint32_t looks_left = 32;
  for (Thread *thread = list.first(); thread && looks_left > 0; thread = list.after(thread)) {
    const Fit fit = thread_fit(thread, wanted);
    if (fit == Fit::first)
      return thread;
    if (fit == Fit::second && !second)
      second = thread;
    looks_left -= second != nullptr;
  }
  return second;
}

/// Whether the bundle has no handler for an event at this moment. Then it needs no visit: the event counts as having
/// happened before whatever change of the events is under way.
template <class Handler> static bool has_no(const skein_bundle &bundle, Handler skein_bundle_events::*handler) {
  const skein_bundle_events *events = bundle.events.load(std::memory_order_acquire);
  return events && !(events->*handler);
}

void bundle_blocked(Thread *self) {
  if (has_no(*self->bundle, &skein_bundle_events::thread_blocked))
    return;
  Visit visit(*self->bundle, true);
  if (visit.events->thread_blocked)
    visit.events->thread_blocked(self->bundle, tcb_of(self), visit.worker());
}

void bundle_started(Thread *self) {
  if (has_no(*self->bundle, &skein_bundle_events::thread_started))
    return;
  Visit visit(*self->bundle, true);
  if (visit.events->thread_started)
    visit.events->thread_started(self->bundle, tcb_of(self), visit.worker());
}

void bundle_enter(Thread *thread, skein_bundle *bundle) {
  thread->bundle = bundle;
  if (bundle != bundle_root)
    bundle->threads.fetch_add(1, std::memory_order_relaxed);
}

void bundle_ended(Thread *self) {
  skein_bundle &bundle = *self->bundle;
  if (!has_no(bundle, &skein_bundle_events::thread_terminated)) {
    Visit visit(bundle, true);
    if (visit.events->thread_terminated)
      visit.events->thread_terminated(&bundle, tcb_of(self), visit.worker());
  }
  bundle_leave(self);
}

void bundle_leave(Thread *thread) {
  if (thread->bundle != bundle_root)
    thread->bundle->threads.fetch_sub(1, std::memory_order_release);
}

uint64_t bundles_ready() { return tally_left(Tally::put, Tally::got); }
uint64_t bundles_ready_started() { return tally_left(Tally::put_started, Tally::got_started); }

// Changing the events of a bundle --------------------------------------------------------------------------------

const skein_bundle_events *bundle_close(skein_bundle &bundle) {
  if (&bundle == bundle_root)
    long_way(long_policy, true);
  const skein_bundle_events *before = bundle.events.exchange(nullptr, std::memory_order_acq_rel);
  barrier_heavy(); // partner: the light one in Visit
  const Worker *self = worker_current();
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    for (unsigned round = 0; &workers[i] != self && workers[i].visits.load(std::memory_order_acquire);)
      lock_wait_step(round);
  for (unsigned round = 0; outside_visits.load(std::memory_order_acquire);)
    lock_wait_step(round);
  return before;
}

void bundle_visits_after_fork() { outside_visits.store(0, std::memory_order_relaxed); }

} // namespace skein

/// The thread is not counted as taken here, but when the handler that asks lets go of it in turn.
extern "C" void skein_bundle_hold_back(int64_t change) {
  using namespace skein;
  const auto count = static_cast<uint64_t>(change < 0 ? -change : change);
  tally(change < 0 ? Tally::put : Tally::got, count);
  tally(change < 0 ? Tally::put_started : Tally::got_started, count);
}

extern "C" struct skein_tcb *skein_bundle_idle(struct skein_bundle *bundle, unsigned worker) {
  skein::Visit visit(*bundle, false);
  return visit.events ? visit.events->processor_idle(bundle, worker) : nullptr;
}
