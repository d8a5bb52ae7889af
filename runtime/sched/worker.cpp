// Workers: starting and ending them, finding the next thread, sleeping and waking.
//
// Sleeping, and why no wake-up is lost:
//
//     worker                                  whoever makes a thread ready
//     sleeping = 1; idle_count++              put it in a queue
//     fence (A)                               fence (B)
//     look into all queues                    read idle_count
//     futex_wait(sleeping, 1)                 claim a sleeper: sleeping 1 -> 0, wake
//
// Fences A and B are partners: either the worker sees the thread, or the other side sees the worker.
#include "sched/worker.h"

#include "arch/x86_64/switch.h"
#include "base/knobs.h"
#include "base/log.h"
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "sched/deadlock.h"
#include "sched/fork.h"
#include "sched/queue.h"
#include "sched/slices.h"
#include "thread/overflow.h"

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

constexpr uint32_t workers_most = 1024;
constexpr unsigned spins_before_sleep = 100; // some microseconds: what a futex wake costs the other side

uint32_t wanted;
std::atomic<uint32_t> running{0};
std::atomic<uint32_t> idle_count{0};
std::atomic<uint32_t> resting{0};  // workers that have no thread, and do not look for one before they count out
std::atomic<uint64_t> rests{0};    // how often one counted out
std::atomic<uint32_t> starving{0}; // workers that have only threads for which there is no stack

/// xorshift; only to spread thieves.
uint32_t random_next(Worker &worker) {
  uint32_t x = worker.random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return worker.random = x;
}

bool anything_ready() {
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (workers[i].queue.count.load(std::memory_order_relaxed))
      return true;
  return false;
}

bool anything_started() {
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (queue_has_started(workers[i].queue))
      return true;
  return false;
}

/// Threads live here, but no worker runs one, and none is ready.
bool all_wait() {
  return idle_count.load(std::memory_order_relaxed) == workers_running() && !anything_ready() && threads_living() &&
         !stopping.load(std::memory_order_relaxed);
}

/// Wake one sleeper. Claiming it first means that a burst of ready threads wakes different ones.
void wake_one() {
  if (!idle_count.load(std::memory_order_acquire)) // pairs with the release in sleep: then `sleeping` is seen, too
    return;
  for (uint32_t i = 0, n = workers_running(); i < n; i++) {
    std::atomic<uint32_t> &sleeping = workers[i].sleeping;
    if (sleeping.load(std::memory_order_relaxed) && sleeping.exchange(0, std::memory_order_relaxed)) {
      idle_count.fetch_sub(1, std::memory_order_relaxed);
      futex_wake(sleeping);
      return;
    }
  }
}

/// Ready thread of this worker, or of another one.
Thread *find(Worker &worker) {
  if (Thread *thread = queue_pop(worker.queue))
    return thread;
  const uint32_t n = workers_running();
  if (n == 1)
    return nullptr;
  const uint32_t start = random_next(worker);
  for (uint32_t i = 0; i < n; i++) {
    Worker &victim = workers[(start + i) % n];
    if (&victim == &worker)
      continue;
    if (Thread *thread = queue_pop(victim.queue)) {
      if (victim.queue.count.load(std::memory_order_relaxed))
        wake_one(); // there is more where this came from
      return thread;
    }
  }
  return nullptr;
}

void sleep(Worker &worker, uint64_t nanoseconds) {
  worker.sleeping.store(1, std::memory_order_relaxed);
  idle_count.fetch_add(1, std::memory_order_release);  // pairs with the acquire in wake_one
  std::atomic_thread_fence(std::memory_order_seq_cst); // A, partner: B in workers_notice and workers_wake_all
  if (all_wait() && !(events.at_rest && events.at_rest()) && nobody_else_can_wake() && all_wait())
    deadlock_report();
  if (!anything_ready() && !stopping.load(std::memory_order_relaxed))
    futex_wait(worker.sleeping, 1, nanoseconds);
  if (worker.sleeping.exchange(0, std::memory_order_relaxed))
    idle_count.fetch_sub(1, std::memory_order_relaxed); // nobody claimed it: timeout, or there was something after all
}

/// Nothing to do. Returns as soon as it is worth looking again.
void idle(Worker &worker) {
  for (unsigned i = 0; i < spins_before_sleep; i++) {
    if (anything_ready() || stopping.load(std::memory_order_relaxed))
      return;
    __builtin_ia32_pause();
  }
  resting.fetch_add(1, std::memory_order_seq_cst); // this and what ends it: see workers_at_rest
  processor_set_segment(worker, segment_nowhere);  // the thread that ran here may end elsewhere
  stack_cache_flush();                             // another worker may need them while this one sleeps
  uint64_t nanoseconds = events.processor_idle ? events.processor_idle(&worker) : forever;
  if (nanoseconds)
    sleep(worker, nanoseconds);
  rests.fetch_add(1, std::memory_order_seq_cst);
  resting.fetch_sub(1, std::memory_order_seq_cst);
}

/// Give a thread that has not run yet its stack and its first context. False: there is none to be had.
bool begin(Thread *thread) {
  if (!thread_take_stack(thread, 0))
    return false;
  thread_prepare(thread);
  thread->state.store(ThreadState::running, std::memory_order_relaxed);
  events.thread_started(thread);
  return true;
}

/// As find, but only one that has a stack.
Thread *find_started(Worker &worker) {
  const uint32_t n = workers_running();
  for (uint32_t i = 0; i < n; i++)
    if (Thread *thread = queue_pop_started(workers[(worker.index + i) % n].queue))
      return thread;
  return nullptr;
}

/// Only fresh threads are ready and there is no stack for any: a thread that has one has to end first, here in another
/// worker or, in a run of several nodes, after something that happens elsewhere. If neither is possible, nothing will
/// ever happen again: true, and otherwise after a nap, false.
bool stands_still() {
  constexpr uint64_t nap_ns = 1'000'000;
  starving.fetch_add(1, std::memory_order_seq_cst);
  const auto all_starve = [] {
    return starving.load(std::memory_order_seq_cst) + idle_count.load(std::memory_order_seq_cst) == workers_running() &&
           !anything_started();
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
  worker.errno_address = &errno;
  skein_processor = &worker;
  if (segment_nowhere) { // it has inherited that of the thread that started the workers
    segment_load(segment_nowhere);
    worker.segment = segment_nowhere;
  }
  overflow_worker_start();
  slices_worker_start();
  if (Thread *first = thread_next())
    skein_worker_enter(&worker, first);
  if (fork_orphan())
    std::exit(exit_status());
  skein_processor = nullptr;
  overflow_worker_stop();
  stack_cache_flush();
  thread_cache_flush();
  return nullptr;
}

} // namespace

uint32_t workers_running() {
  return running.load(std::memory_order_acquire);
} // pairs with the release in workers_start
uint32_t workers_count() { return wanted; }
uint32_t workers_idle() { return idle_count.load(std::memory_order_relaxed); }

void workers_setup() {
  wanted = knobs.workers ? static_cast<uint32_t>(knobs.workers < workers_most ? knobs.workers : workers_most) : cores();
  if (!workers) {
    const size_t page = page_bytes();
    workers = static_cast<Worker *>(memory_allocate((workers_most * sizeof(Worker) + page - 1) / page * page));
    SKEIN_ASSERT(workers, "out of memory for the workers");
  }
  new (&workers[0]) Worker();
  running.store(1, std::memory_order_release);
}

void workers_start() {
  static SpinLock starting(Rank::net);
  if (workers_running() == wanted)
    return;
  Guard guard(starting);
  // Signals meant for the process go to the program's own kernel thread; faults belong to whoever makes them.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
    sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  for (uint32_t i = workers_running(); i < wanted; i++) {
    Worker *worker = new (&workers[i]) Worker();
    worker->index = i;
    worker->random = i * 0x9e3779b1u | 1;
    running.store(i + 1, std::memory_order_release); // pairs with workers_running: the Worker is complete
    pthread_t handle;
    if (int error = pthread_create(&handle, nullptr, worker_main, worker)) {
      running.store(i, std::memory_order_release);
      wanted = i;
      log("only %u of the workers could be started (error %d)", i, error);
      break;
    }
    worker->kernel_thread = handle;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  events.workers_started();
}

void workers_join() {
  for (uint32_t i = 1, n = workers_running(); i < n; i++)
    pthread_join(workers[i].kernel_thread, nullptr);
  running.store(1, std::memory_order_release);
}

void workers_after_fork(const Worker &mine) {
  Processor kept = mine;
  Worker *first = new (&workers[0]) Worker();
  static_cast<Processor &>(*first) = kept;
  skein_processor = first;
  slices_worker_start();
  idle_count.store(0, std::memory_order_relaxed);
  starving.store(0, std::memory_order_relaxed);
  resting.store(0, std::memory_order_relaxed);
  running.store(1, std::memory_order_relaxed);
}

void workers_notice(bool from_outside) {
  if (workers_running() == 1 && !from_outside)
    return;                                            // the only worker is awake: it is the caller
  std::atomic_thread_fence(std::memory_order_seq_cst); // B, partner: A in sleep
  wake_one();
}

void workers_wake_all() {
  std::atomic_thread_fence(std::memory_order_seq_cst); // B, partner: A in sleep
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (workers[i].sleeping.exchange(0, std::memory_order_relaxed)) {
      idle_count.fetch_sub(1, std::memory_order_relaxed);
      futex_wake(workers[i].sleeping);
    }
}

void workers_wake() { workers_wake_all(); }

// A worker takes a thread out of a queue only after it has counted out. So if all were resting and none has counted out
// until now, none took a thread in between; and there was none to take, in between.
bool workers_at_rest() {
  const uint64_t before = rests.load(std::memory_order_seq_cst);
  return resting.load(std::memory_order_seq_cst) == workers_running() && !anything_ready() &&
         rests.load(std::memory_order_seq_cst) == before;
}

Thread *thread_next() {
  Worker &worker = *worker_current();
  worker.current = nullptr;
  for (unsigned standstills = 0;;) {
    if (stopping.load(std::memory_order_acquire)) // pairs with the release in sched_stop
      return nullptr;
    Thread *thread = find(worker);
    if (!thread) {
      idle(worker);
      continue;
    }
    if (thread->stack || begin(thread))
      return thread;
    queue_push(worker.queue, thread);
    thread = find_started(worker);
    if (thread)
      return thread;
    // The others give their free stacks back before they become idle. So one that was not to be had before they did is
    // to be had now, and only a second failure is final.
    standstills = stands_still() ? standstills + 1 : 0;
    if (standstills == 2) {
      log("out of stacks: %llu threads live here and there is no memory, or no mapping, for another stack, and each "
          "thread that has one waits (sysctl vm.max_map_count; SKEIN_OPTIONS=stack=… for smaller ones)",
          static_cast<unsigned long long>(threads_living()));
      sched_stop(fatal_status);
    }
  }
}

/// One look at one other worker, so that a thread that yields in a loop does not keep its worker from what waits
/// behind a thread that computes for long. Null mostly.
static Thread *steal_on_yield(Worker &worker) {
  const uint32_t n = workers_running();
  if (n == 1)
    return nullptr;
  Worker &victim = workers[random_next(worker) % n];
  return &victim == &worker ? nullptr : queue_pop(victim.queue);
}

Thread *thread_yield(Thread *self) {
  Worker &worker = *worker_current();
  Thread *next = queue_exchange(worker.queue, self);
  if (!next) {
    next = steal_on_yield(worker);
    if (!next)
      return self;
    queue_push(worker.queue, self);
    workers_notice(false);
  }
  if (next->stack || begin(next))
    return next;
  queue_push(worker.queue, next); // no stack for it now; others go on
  return thread_next();
}

} // namespace skein
