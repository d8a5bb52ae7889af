// Time slices; see slices.h.
#include "sched/slices.h"

#include "abi/entry_points.h"
#include "base/knobs.h"
#include "base/log.h"
#include "os/linux/futex.h"
#include "sched/timers.h"
#include "sched/worker.h"

#include <csignal>
#include <pthread.h>

extern "C" {
__thread volatile unsigned char __skein_poll_flag __attribute__((tls_model("initial-exec")));

/// Defined by compiled units that have polls (compiler/passes/LoopPolls.cpp).
extern const char __skein_polls_compiled __attribute__((weak));
}

namespace skein {

namespace {

std::atomic<bool> running{false};
std::atomic<uint32_t> kernel_threads{0};
std::atomic<uint32_t> asleep{0}; // 1: until a thread is ready

/// A thread is ready, or has slept long enough.
bool somebody_waits() { return threads_ready() > 0 || (timers_pending() && timers_next_ns.load() <= clock_ns()); }

/// Set the flags of workers that ran the same thread a slice ago.
void look(Thread **before) {
  for (uint32_t i = 0, n = workers_running(); i < n; i++) {
    Thread *current = __atomic_load_n(&workers[i].current, __ATOMIC_RELAXED); // compared, never followed
    volatile unsigned char *flag = workers[i].poll_flag.load(std::memory_order_relaxed);
    if (current && current == before[i] && flag)
      __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
    before[i] = current;
  }
}

void *clock_main(void *) {
  pthread_setname_np(pthread_self(), "skein-clock");
  static Thread *before[1024]; // a worker each
  for (;;) {
    if (threads_ready() == 0 && !timers_pending()) {
      asleep.store(1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_seq_cst); // C, partner: D in slices_notice
      if (threads_ready() == 0 && !timers_pending())
        futex_wait(asleep, 1);
      asleep.store(0, std::memory_order_relaxed);
    }
    static std::atomic<uint32_t> never{0};
    futex_wait(never, 0, knobs.slice_ms * 1000000);
    if (somebody_waits())
      look(before);
  }
}

void start_clock() {
  if (running.exchange(true, std::memory_order_relaxed))
    return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t clock;
  int error = pthread_create(&clock, nullptr, clock_main, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  kernel_threads.store(error ? 0 : 1, std::memory_order_relaxed);
  if (error) {
    log("no time slices: the clock's kernel thread could not be started (error %d)", error);
    return;
  }
  pthread_detach(clock);
}

} // namespace

bool polls_compiled() { return &__skein_polls_compiled != nullptr; }

void slices_start() {
  if (!knobs.slice_ms || !polls_compiled())
    return;
  events.thread_created.add([](Thread *) { start_clock(); });
  events.incoming.add([](Thread *) { start_clock(); });
  events.forked.add([] {
    running.store(false, std::memory_order_relaxed);
    kernel_threads.store(0, std::memory_order_relaxed);
    asleep.store(0, std::memory_order_relaxed);
  });
}

void slices_worker_start() { worker_current()->poll_flag.store(&__skein_poll_flag, std::memory_order_relaxed); }

void slices_notice() {
  if (!running.load(std::memory_order_relaxed))
    return;
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

uint32_t slices_kernel_threads() { return kernel_threads.load(std::memory_order_relaxed); }

} // namespace skein
