// Time slices; see time_slices.h.
#include "sched/time_slices.h"

#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/log.h"
#include "os/linux/futex.h"
#include "os/linux/own_thread.h"
#include "sched/bundle.h"
#include "sched/bundle_table.h"
#include "sched/timers.h"
#include "sched/worker.h"

#include <algorithm>
#include <csignal>
#include <pthread.h>

extern "C" {
__thread volatile unsigned char __skein_poll_flag __attribute__((tls_model("initial-exec")));

/// Defined by compiled units that have polls (compiler/passes/polls/LoopPolls.cpp).
extern const char __skein_polls_compiled __attribute__((weak));
}

namespace skein {

namespace {

bool polls; // were compiled into the program
std::atomic<bool> running{false};
std::atomic<uint32_t> kernel_threads{0};
std::atomic<uint32_t> asleep{0};  // 1: until a thread is ready
std::atomic<uint32_t> changes{0}; // counts changes of the bundles' slices

/// A thread is ready, or has slept long enough. Bound threads do not count, since they concern their worker only.
bool somebody_waits() { return threads_ready() > 0 || (timers_pending() && timers_next_ns.load() <= clock_ns()); }
bool somebody_may_wait() { return threads_ready() > 0 || timers_pending() || workers_bound(); }

/// The slice of the thread that a worker runs; `forever`: it has none. By now the worker may run another thread; the
/// record can be read all the same, since records of threads and of bundles are never freed.
uint64_t slice_of(const Thread *current) {
  const skein_bundle *bundle = __atomic_load_n(&current->bundle, __ATOMIC_RELAXED);
  return bundle ? bundle->slice_ns.load(std::memory_order_relaxed) : forever; // null: the record is being made
}

/// The shortest slice of all bundles; `forever`: none has any.
uint64_t shortest_ns() {
  uint64_t shortest = forever;
  for (uint32_t i = 0, n = bundle_count(); i < n; i++)
    shortest = std::min(shortest, bundle_at(i)->slice_ns.load(std::memory_order_relaxed));
  return shortest;
}

/// What the clock saw a worker run.
struct Seen {
  Thread *current;
  uint64_t since_ns; // when the clock saw it first
};

/// Sets the flags of the workers that have run the same thread for its slice.
void set_flags(Seen *seen) {
  const uint64_t now = clock_ns();
  const bool waiting = somebody_waits();
  for (uint32_t i = 0, n = workers_running(); i < n; i++) {
    Thread *current = __atomic_load_n(&workers[i].current, __ATOMIC_RELAXED);
    if (current != seen[i].current) {
      seen[i] = {current, now};
      continue;
    }
    volatile unsigned char *flag = workers[i].poll_flag.load(std::memory_order_relaxed);
    if (!current || !flag || now - seen[i].since_ns < slice_of(current))
      continue;
    if (waiting || workers[i].bound_count.load(std::memory_order_relaxed))
      __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
  }
}

void *clock_main(void *) {
  pthread_setname_np(pthread_self(), "skein-clock");
  static Seen seen[workers_most];
  for (;;) {
    if (!somebody_may_wait()) {
      asleep.store(1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_seq_cst); // C, partner: D in slices_notice
      if (!somebody_may_wait())
        futex_wait(asleep, 1);
      asleep.store(0, std::memory_order_relaxed);
    }
    // If a bundle changes its slices after this load, but before the clock sleeps, the word on which it sleeps has
    // changed.
    const uint32_t before = changes.load(std::memory_order_acquire); // pairs with the release in slices_changed
    futex_wait(changes, before, shortest_ns());
    set_flags(seen);
  }
}

void start_clock() {
  if (running.load(std::memory_order_relaxed) || shortest_ns() == forever ||
      running.exchange(true, std::memory_order_relaxed))
    return;
  pthread_t clock;
  const int error = own_thread_start(clock, clock_main);
  kernel_threads.store(error ? 0 : 1, std::memory_order_relaxed);
  if (error) {
    log("no time slices: the clock's kernel thread could not be started (error %d)", error);
    return;
  }
  pthread_detach(clock);
}

} // namespace

bool polls_compiled() { return &__skein_polls_compiled != nullptr; }

namespace {
void forget_clock() {
  running.store(false, std::memory_order_relaxed);
  kernel_threads.store(0, std::memory_order_relaxed);
  asleep.store(0, std::memory_order_relaxed);
}
} // namespace

void slices_start() {
  if (!polls_compiled())
    return;
  polls = true;
  events.forked.add(forget_clock);
}

void time_slices_reborn() {
  const bool ran = running.load(std::memory_order_relaxed);
  forget_clock();
  if (ran)
    start_clock();
}

void slices_changed() {
  changes.fetch_add(1, std::memory_order_release); // pairs with the acquire in clock_main
  if (running.load(std::memory_order_relaxed))
    futex_wake(changes);
  else if (polls && threads_living() > 1)
    start_clock();
}

uint64_t slice_ns_of(const skein_bundle_events &events) {
  const uint64_t ms = events.slice_ms ? events.slice_ms : knobs.slice_ms;
  return ms && ms != SKEIN_NO_SLICES ? ms * 1000000 : forever;
}

void slices_worker_start() { worker_current()->poll_flag.store(&__skein_poll_flag, std::memory_order_relaxed); }

void slices_notice() {
  if (!running.load(std::memory_order_relaxed)) {
    if (!polls || threads_living() < 2)
      return;
    start_clock();
  }
  std::atomic_thread_fence(std::memory_order_seq_cst); // D, partner: C in clock_main
  if (asleep.load(std::memory_order_relaxed)) {
    asleep.store(0, std::memory_order_relaxed);
    futex_wake(asleep);
  }
}

void slices_interrupt(const Thread *thread) {
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (__atomic_load_n(&workers[i].current, __ATOMIC_RELAXED) == thread)
      if (volatile unsigned char *flag = workers[i].poll_flag.load(std::memory_order_relaxed))
        __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

void slices_interrupt_all() {
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (volatile unsigned char *flag = workers[i].poll_flag.load(std::memory_order_relaxed);
        flag && __atomic_load_n(&workers[i].current, __ATOMIC_RELAXED))
      __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

uint32_t slices_kernel_threads() { return kernel_threads.load(std::memory_order_relaxed); }

} // namespace skein
