// Workers: how they start and end, find the next thread, sleep and are woken.
//
// A worker that goes to sleep while a thread becomes ready must not miss it:
//
//     the worker                              the kernel thread that makes a thread ready
//     sleeping = 1; idle_count++              give it to its bundle, which counts it
//     heavy barrier (A)                       light barrier (B)
//     look at the counts                      read idle_count
//     futex_wait(sleeping, 1)                 claim a sleeper: sleeping 1 -> 0, wake
//
// A and B are partners (base/uneven_barrier.h): either the worker sees the thread, or the other side sees the worker.
#include "sched/worker.h"

#include "arch/x86_64/switch.h"
#include "base/alone.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/uneven_barrier.h"
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "private/regions/spare.h"
#include "sched/bundle_table.h"
#include "sched/deadlock.h"
#include "sched/fork.h"
#include "sched/halt.h"
#include "sched/limits.h"
#include "sched/time_slices.h"
#include "sched/timers.h"
#include "thread/overflow.h"
#include "thread/table.h"
#include "trace/trace.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <pthread.h>

namespace skein {

Worker *workers;
std::atomic<bool> stopping{false};

namespace {

constexpr unsigned spins_before_sleep = 100; // some microseconds: what a futex wake costs the other side
constexpr unsigned spins_per_look = 8;       // each look takes cache lines away from those that work

std::atomic<uint32_t> wanted{0};
std::atomic<uint32_t> running{0};
std::atomic<uint32_t> idle_count{0};
std::atomic<uint32_t> starving{0}; // workers that have only threads for which there is no stack

bool anything_ready() { return threads_ready() != 0; }

/// What a worker does between two threads: the deadlines that have passed, and threads that are to come back.
void look_between_threads() {
  timers_look();
  if (__builtin_expect(threads_waking.load(std::memory_order_relaxed) != 0, 0))
    waking_turn();
}

/// Threads live here, but no worker runs one, none is ready, and none will be by its deadline.
bool all_wait() {
  return !timers_pending() && idle_count.load(std::memory_order_relaxed) == workers_running() && !anything_ready() &&
         !workers_bound() && threads_living() && !stopping.load(std::memory_order_relaxed);
}

/// Whether all workers rest; `turns` counts how often they have begun or ended to rest.
bool all_rest(uint64_t &turns) {
  turns = 0;
  for (uint32_t i = 0, n = workers_running(); i < n; i++) {
    const uint64_t rests = workers[i].rests.load(std::memory_order_acquire);
    if (rests % 2 == 0)
      return false;
    turns += rests;
  }
  return true;
}

/// Whether all threads wait, and will for ever. It cannot be that meanwhile a worker went away, ran a thread that was
/// no longer found ready, and came back: that would have been counted in `rests`.
bool all_wait_for_ever() {
  uint64_t before, after;
  if (!all_rest(before) || !all_wait() || !nobody_else_can_wake() || !all_wait())
    return false;
  std::atomic_thread_fence(std::memory_order_acquire); // after all these looks
  return all_rest(after) && before == after;
}

/// Wake this worker if it sleeps.
bool wake(Worker &worker) {
  if (!worker.sleeping.load(std::memory_order_relaxed) || !worker.sleeping.exchange(0, std::memory_order_relaxed))
    return false;
  idle_count.fetch_sub(1, std::memory_order_relaxed);
  futex_wake(worker.sleeping);
  return true;
}

/// Wakes one sleeper; false: there is none. It is claimed first, so that a burst of ready threads wakes different ones.
bool wake_one() {
  if (!idle_count.load(std::memory_order_acquire)) // pairs with the release in sleep: then `sleeping` is seen as well
    return false;
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (wake(workers[i]))
      return true;
  return false;
}

void sleep(Worker &worker, uint64_t nanoseconds) {
  stack_cache_flush(); // another worker may need them while this one sleeps
  spares_flush();
  worker.sleeping.store(1, std::memory_order_relaxed);
  idle_count.fetch_add(1, std::memory_order_release); // pairs with the acquire in wake_one
  barrier_heavy();                                    // A, partner: B in workers_notice and its kin
  if (all_wait() && !limits_pass() && !(events.at_rest && events.at_rest(workers_at_rest())) && all_wait_for_ever())
    deadlock_report();
  if (!anything_ready() && !worker.bound_count.load(std::memory_order_relaxed) &&
      !stopping.load(std::memory_order_relaxed) && !workers_are_to_halt())
    futex_wait(worker.sleeping, 1, nanoseconds);
  if (worker.sleeping.exchange(0, std::memory_order_relaxed))
    // No other kernel thread claimed it: a timeout, or there was something to do after all.
    idle_count.fetch_sub(1, std::memory_order_relaxed);
}

/// There is nothing to do. Returns as soon as it is worth looking again.
void wait_for_work(Worker &worker) {
  if (worker.ended) {
    worker.ended = false;
    look_for_the_end();
  }
  if (timers_fire())
    return;
  for (unsigned i = 0; i < spins_before_sleep && !events.processor_idle; i++) {
    if (i % spins_per_look == 0 && (anything_ready() || worker.bound_count.load(std::memory_order_relaxed) ||
                                    stopping.load(std::memory_order_relaxed) || workers_are_to_halt()))
      return;
    __builtin_ia32_pause();
  }
  const uint64_t rests = worker.rests.load(std::memory_order_relaxed) + 1;
  worker.rests.store(rests, std::memory_order_release); // this and what ends it: see workers_at_rest
  processor_set_segment(worker, segment_nowhere);       // the thread that ran here may end on another worker
  uint64_t nanoseconds = events.processor_idle ? events.processor_idle(&worker) : forever;
  if (nanoseconds) {
    uint64_t guarding;
    const uint64_t until_next = timers_guard_begin(&guarding);
    if (until_next < nanoseconds)
      nanoseconds = until_next;
    if (nanoseconds)
      sleep(worker, nanoseconds);
    timers_guard_end(guarding);
  }
  worker.rests.store(rests + 1, std::memory_order_release);
}

/// Gives a thread that has not run yet its stack and its first context. False: no stack is to be had.
bool begin_thread(Thread *thread) {
  if (!thread_take_stack(thread, 0))
    return false;
  thread_prepare(thread);
  thread->state.store(ThreadState::running, std::memory_order_relaxed);
  bundle_started(thread);
  events.thread_started(thread);
  return true;
}

Thread *goes_on(Thread *thread) {
  if (__builtin_expect(events.resumes != nullptr, 0))
    events.resumes(thread);
  return thread;
}

/// Only fresh threads are ready, and there is no stack for any. A thread that has one must end first, in another worker
/// or, in a run of several nodes, after something that happens elsewhere. If neither is possible, nothing will ever
/// happen again, and the result is true. Otherwise this naps and returns false.
bool stands_still() {
  constexpr uint64_t nap_ns = 1'000'000;
  starving.fetch_add(1, std::memory_order_seq_cst);
  const auto all_starve = [] {
    return starving.load(std::memory_order_seq_cst) + idle_count.load(std::memory_order_seq_cst) == workers_running() &&
           bundles_ready_started() == 0;
  };
  const bool still = all_starve() && nobody_else_can_wake() && all_starve();
  if (!still) {
    static std::atomic<uint32_t> never{0};
    futex_wait(never, 0, nap_ns);
  }
  starving.fetch_sub(1, std::memory_order_seq_cst);
  return still;
}

void *worker_main(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  char name[16];
  std::snprintf(name, sizeof name, "skein-%u", worker.index);
  pthread_setname_np(pthread_self(), name);
  worker_begin(worker);
  if (segment_nowhere) { // it was inherited from the kernel thread that started the workers
    segment_load(segment_nowhere);
    worker.segment = segment_nowhere;
  }
  thread_table_adopt(worker);
  overflow_worker_start();
  slices_worker_start();
  if (Thread *first = thread_next())
    skein_worker_enter(&worker, first);
  if (fork_orphan())
    std::exit(exit_status());
  skein_processor = nullptr;
  overflow_worker_stop();
  stack_cache_flush();
  spares_flush();
  thread_cache_flush();
  return nullptr;
}

/// All of them, long before their kernel threads start: a thread that is bound to one of them may arrive from another
/// node at once.
void construct_all() {
  for (uint32_t i = 0; i < workers_count(); i++) {
    Worker *worker = new (&workers[i]) Worker();
    worker->index = i;
    worker->bundle = bundle_root;
  }
}

/// There will be no more than `count` workers. Threads that are bound to another one have nowhere to run.
void keep_only(uint32_t count) {
  const uint32_t before = wanted.exchange(count); // push_bound looks at it, with the lock
  for (uint32_t i = count; i < before; i++) {
    Guard guard(workers[i].bound_lock);
    if (const Thread *thread = workers[i].bound.first())
      fatal("thread %s is bound to worker %u, which could not be started", thread_name(thread->id).text, i);
  }
}

} // namespace

uint32_t workers_running() {
  return running.load(std::memory_order_acquire);
} // pairs with the release in workers_start
bool workers_bound() {
  for (uint32_t i = 0, n = workers_count(); i < n; i++)
    if (workers[i].bound_count.load(std::memory_order_relaxed))
      return true;
  return false;
}

uint32_t workers_count() { return wanted.load(std::memory_order_relaxed); }
uint32_t workers_idle() { return idle_count.load(std::memory_order_relaxed); }

void workers_setup() {
  wanted = knobs.workers ? static_cast<uint32_t>(knobs.workers) : cores();
  if (!workers) {
    const size_t page = page_bytes();
    workers = static_cast<Worker *>(memory_allocate((workers_most * sizeof(Worker) + page - 1) / page * page));
    SKEIN_ASSERT(workers, "out of memory for the workers");
  }
  construct_all();
  workers[0].kernel_thread = pthread_self();
  stopping.store(false, std::memory_order_relaxed);
  long_way(long_stopping, false);
  long_way(long_workers, workers_count() != 1);
  alone_workers_ended();
  running.store(1, std::memory_order_release);
}

void workers_start() {
  static SpinLock starting(Rank::net);
  if (workers_running() == workers_count())
    return;
  Guard guard(starting);
  // Signals for the process go to the program's own kernel thread; faults belong to the kernel thread that causes them.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
    sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  alone_end(RuntimeUsers::workers);
  for (uint32_t i = workers_running(); i < workers_count(); i++) {
    running.store(i + 1, std::memory_order_release);
    pthread_t handle;
    if (int error = pthread_create(&handle, nullptr, worker_main, &workers[i])) {
      running.store(i, std::memory_order_release);
      log("only %u of the workers could be started (error %d)", i, error);
      keep_only(i);
      break;
    }
    workers[i].kernel_thread = handle;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  long_way(long_workers, false);
  events.workers_started();
}

void workers_join() {
  for (uint32_t i = 1, n = workers_running(); i < n; i++)
    pthread_join(workers[i].kernel_thread, nullptr);
  running.store(1, std::memory_order_release);
}

void workers_after_fork(const Worker &mine) {
  Processor kept = mine;
  construct_all();
  Worker *first = &workers[0];
  static_cast<Processor &>(*first) = kept;
  first->index = 0;
  first->kernel_thread = pthread_self();
  barrier_start();
  skein_processor = first;
  slices_worker_start();
  idle_count.store(0, std::memory_order_relaxed);
  starving.store(0, std::memory_order_relaxed);
  running.store(1, std::memory_order_relaxed);
  long_way(long_workers, workers_count() != 1);
  halt_after_fork();
}

// Their records stay: threads are bound to them, and bundles have queues for them. Nothing of them that runs is left.
void workers_begin_again() {
  long_way(long_barriers, !barrier_asymmetric);
  for (uint32_t i = 0; i < workers_count(); i++) {
    Worker &worker = workers[i];
    worker.drives.store(false, std::memory_order_relaxed);
    if (i == 0)
      worker.kernel_thread = pthread_self();
    else
      worker.poll_flag.store(nullptr, std::memory_order_relaxed);
  }
  halt_begin_again();
  running.store(1, std::memory_order_release);
  workers_start();
  time_slices_reborn();
}

void workers_notice(bool from_outside, uint32_t threads) {
  if (workers_running() == 1 && !from_outside)
    return;        // the only worker is awake: it is the caller
  barrier_light(); // B, partner: A in sleep
  while (threads-- && wake_one())
    ;
}

void workers_announce_waking(uint32_t threads) { workers_notice(!worker_current(), threads); }

void workers_notice_bound(uint32_t index) {
  barrier_light(); // B, partner: A in sleep
  wake(workers[index]);
}

void workers_wake_all() {
  barrier_light(); // B, partner: A in sleep
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    wake(workers[i]);
}

void workers_wake() { workers_wake_all(); }

uint32_t workers_resting() {
  uint32_t count = 0;
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    count += workers[i].rests.load(std::memory_order_relaxed) & 1;
  return count;
}

// A worker takes a thread out of a bundle only after it has increased `rests`, which then is even. If it did so before
// our first look, we find it not resting. If it does so later, and takes a thread before we look for ready ones, we see
// that the thread is gone (with acquire, of a count that was stored with release), and then we also see, in the second
// look, that `rests` has changed: it never decreases. So no worker took a thread in between, and there was none.
bool workers_at_rest() {
  uint64_t before, after;
  if (!all_rest(before) || anything_ready() || workers_bound() || timers_pending() || limits_waiting())
    return false;
  std::atomic_thread_fence(std::memory_order_acquire); // after all these looks
  return all_rest(after) && before == after;
}

/// Whether a thread that has a stack leaves this node instead of going on here.
static bool leaves(Thread *thread) {
  return __builtin_expect(thread->interrupted.load(std::memory_order_relaxed), 0) && events.leaves &&
         events.leaves(thread);
}

Thread *thread_next() {
  Worker &worker = *worker_current();
  processor_runs_none(worker);
  bool idled = false;
  for (unsigned standstills = 0;;) {
    if (stopping.load(std::memory_order_acquire)) // pairs with the release in sched_stop
      return nullptr;
    if (workers_are_to_halt()) {
      worker_halts(worker);
      continue;
    }
    look_between_threads();
    Thread *thread = bundle_next(worker);
    if (!thread) {
      if (!idled)
        trace(TraceEvent::idle, 0);
      wait_for_work(worker);
      idled = true;
      continue;
    }
    if (idled && workers_idle() && anything_ready())
      wake_one(); // there may be more where this one came from
    if (timers_pending() && timers_unguarded())
      wake_one(); // that worker will be idle again, until the next deadline
    if (!thread->stack) {
      if (begin_thread(thread))
        return thread;
      bundle_put(thread, News::unblocked);
      thread = bundle_next_started(worker);
    }
    if (thread && !leaves(thread))
      return goes_on(thread);
    if (thread) {
      processor_runs_none(worker);
      continue;
    }
    // The other workers give their free stacks back before they become idle. So a stack that was not to be had before
    // they did may be to be had now, and only a second failure is final.
    standstills = stands_still() ? standstills + 1 : 0;
    if (standstills == 2) {
      log("out of stacks: %llu threads live here and there is no memory, or no mapping, for another stack, and each "
          "thread that has one waits (sysctl vm.max_map_count; SKEIN_OPTIONS=stack=… for smaller ones)",
          static_cast<unsigned long long>(threads_living()));
      sched_stop(fatal_status);
    }
  }
}

Thread *thread_yield(Thread *self) {
  if (workers_are_to_halt())
    return worker_puts_back(self);
  look_between_threads();
  if (leaves(self))
    return thread_next();
  trace(TraceEvent::yields, self->id);
  Thread *next = nullptr;
  if (!bundle_yield(*worker_current(), self, next)) {
    trace(TraceEvent::runs, self->id, trace_function(self->start.function));
    return goes_on(self);
  }
  if (next != self)
    workers_notice(false);
  return next ? thread_run(next) : thread_next();
}

Thread *thread_run(Thread *next) {
  if (workers_are_to_halt())
    return worker_puts_back(next);
  if (next->stack)
    return leaves(next) ? thread_next() : goes_on(next);
  if (begin_thread(next))
    return next;
  bundle_put(next, News::unblocked); // there is no stack for it now; other threads go on
  return thread_next();
}

} // namespace skein
