// The heap of deadlines; see timers.h.
//
// It is a pairing heap: the children of a node are a list, and none has an earlier deadline than its parent. `previous`
// is the sibling before, or for a first child its parent.
#include "sched/timers.h"

#include "arch/x86_64/ticks.h"
#include "base/lock.h"
#include "sched/sched.h"
#include "sched/time_slices.h"

#include <new>

namespace skein {

std::atomic<uint64_t> timers_next_ns{forever};
void (*timers_expired)(Thread *thread);

namespace {

constexpr uint64_t look_ticks = 30000; // of the time stamp counter: 10 us at 3 GHz

SpinLock lock{Rank::timers};
Timer *root;
std::atomic<uint64_t> guarded_ns{forever}; // the deadline until which the guard sleeps
__thread uint64_t looked_ticks;

Timer *meld(Timer *a, Timer *b) {
  if (!a || !b)
    return a ? a : b;
  if (b->deadline_ns < a->deadline_ns) {
    Timer *swap = a;
    a = b;
    b = swap;
  }
  b->previous = a;
  b->next = a->child;
  if (a->child)
    a->child->previous = b;
  a->child = b;
  return a;
}

/// Joins a list of siblings into one heap: in pairs from the first to the last, and then the pairs.
Timer *meld_all(Timer *first) {
  Timer *pairs = nullptr; // chained by next, the last pair first
  while (first) {
    Timer *second = first->next, *rest = second ? second->next : nullptr;
    first->next = first->previous = nullptr;
    if (second)
      second->next = second->previous = nullptr;
    Timer *pair = meld(first, second);
    pair->next = pairs;
    pairs = pair;
    first = rest;
  }
  Timer *all = nullptr;
  while (pairs) {
    Timer *rest = pairs->next;
    pairs->next = nullptr;
    all = meld(all, pairs);
    pairs = rest;
  }
  return all;
}

void take_out(Timer &timer) {
  Timer *children = meld_all(timer.child);
  if (&timer == root) {
    root = children;
  } else {
    if (timer.previous->child == &timer)
      timer.previous->child = timer.next;
    else
      timer.previous->next = timer.next;
    if (timer.next)
      timer.next->previous = timer.previous;
    root = meld(root, children);
  }
  timer.child = timer.next = timer.previous = nullptr;
}

void publish_next() {
  if (timers_pending() != static_cast<bool>(root))
    long_way(long_deadlines, root);
  timers_next_ns.store(root ? root->deadline_ns : forever, std::memory_order_relaxed);
}

} // namespace

void timers_after_fork() {
  new (&lock) SpinLock(Rank::timers);
  root = nullptr;
  guarded_ns.store(forever, std::memory_order_relaxed);
  publish_next();
}

void timer_arm(Thread *thread, uint64_t deadline_ns) {
  Timer &timer = thread->timer;
  bool first;
  {
    Guard guard(lock);
    timer.deadline_ns = deadline_ns;
    timer.state.store(TimerState::armed, std::memory_order_relaxed);
    first = !root;
    root = meld(root, &timer);
    publish_next();
  }
  if (first)
    slices_notice();
}

void timer_cancel_slow(Timer &timer) {
  {
    Guard guard(lock);
    if (timer.state.load(std::memory_order_relaxed) == TimerState::armed) {
      take_out(timer);
      timer.state.store(TimerState::idle, std::memory_order_relaxed);
      publish_next();
      return;
    }
  }
  for (unsigned round = 0; timer.state.load(std::memory_order_acquire) != TimerState::idle;) // pairs with timer_settled
    lock_wait_step(round);
}

bool timers_fire() {
  bool any = false;
  while (timers_pending()) {
    const uint64_t now = clock_ns();
    Timer *due;
    {
      Guard guard(lock);
      due = root;
      if (!due || due->deadline_ns > now)
        break;
      take_out(*due);
      due->state.store(TimerState::firing, std::memory_order_relaxed);
      publish_next();
    }
    timers_expired(thread_of(due));
    any = true;
  }
  return any;
}

void timers_look_slow() {
  const uint64_t ticks = ticks_now();
  if (ticks - looked_ticks < look_ticks)
    return;
  looked_ticks = ticks;
  timers_fire();
}

uint64_t timers_guard_begin(uint64_t *guarding) {
  *guarding = forever;
  const uint64_t next = timers_next_ns.load(std::memory_order_relaxed);
  uint64_t guarded = guarded_ns.load(std::memory_order_relaxed);
  do {
    if (next >= guarded)
      return forever;
  } while (!guarded_ns.compare_exchange_weak(guarded, next, std::memory_order_seq_cst));
  *guarding = next;
  const uint64_t now = clock_ns();
  return next > now ? next - now : 0;
}

void timers_guard_end(uint64_t guarding) {
  if (guarding != forever)
    guarded_ns.compare_exchange_strong(guarding, forever,
                                       std::memory_order_seq_cst); // fails if another worker guards an earlier one
}

bool timers_unguarded() {
  return timers_next_ns.load(std::memory_order_relaxed) < guarded_ns.load(std::memory_order_seq_cst);
}

} // namespace skein
