// See halt.h.
#include "sched/halt.h"

#include "os/linux/futex.h"
#include "private/regions/spare.h"
#include "sched/bundle.h"
#include "sched/time_slices.h"
#include "sched/worker.h"
#include "thread/function_name.h"
#include "trace/trace.h"

#include <cstdio>

namespace skein {

std::atomic<uint32_t> halt_wanted{0};
void (*workers_have_halted)();
void (*workers_reborn)();

namespace {

std::atomic<uint32_t> halted{0}; // workers
std::atomic<uint32_t> news{0};   // those that have halted sleep on it

// Errands for worker 0 are counted, so that one may be asked for before whoever asked for the last one has woken up.
std::atomic<uint32_t> errands_asked{0};
std::atomic<uint32_t> errands_done{0}; // those who ask sleep on it
bool (*errand_function)(void *context);
void *errand_context;

void tell_halted() {
  news.fetch_add(1, std::memory_order_release);
  futex_wake(news, UINT32_MAX);
}

/// In a copy of the process nobody waits for what is being done.
void forget_errand() { errands_done.store(errands_asked.load(std::memory_order_relaxed), std::memory_order_relaxed); }

/// On worker 0.
void run_errand(uint32_t number) {
  const bool reborn = errand_function(errand_context);
  errands_done.store(number, std::memory_order_release); // pairs with the acquire in worker_zero_runs
  futex_wake(errands_done, UINT32_MAX);
  if (reborn)
    workers_reborn();
}

} // namespace

void workers_halt() {
  halt_wanted.store(1, std::memory_order_seq_cst);
  long_way(long_halt, true);
  workers_wake_all();
  workers_interrupt();
}

bool workers_halted() {
  return halt_wanted.load(std::memory_order_seq_cst) && halted.load(std::memory_order_seq_cst) == workers_running();
}

void workers_go_on() {
  long_way(long_halt, false);
  halt_wanted.store(0, std::memory_order_seq_cst);
  tell_halted();
}

void workers_interrupt() { slices_interrupt_all(); }

bool workers_describe(char *to, size_t bytes) {
  for (uint32_t i = 0, n = workers_running(); i < n; i++)
    if (const Thread *thread = __atomic_load_n(&workers[i].current, __ATOMIC_RELAXED)) {
      // The worker may run another one by now; the record can be read all the same, since it is never freed.
      char function[160];
      snprintf(to, bytes, "thread %s runs `%s` on worker %u", thread_name(thread->id).text,
               function_name(reinterpret_cast<uintptr_t>(thread->start.function), function, sizeof function), i);
      return true;
    }
  return false;
}

void worker_halts(Worker &worker) {
  trace_time_passes();
  stack_cache_flush();
  spares_flush();
  thread_cache_flush();
  processor_set_segment(worker, segment_nowhere); // the thread that ran here may end on another worker
  if (halted.fetch_add(1, std::memory_order_seq_cst) + 1 == workers_running() && workers_have_halted)
    workers_have_halted();
  for (;;) {
    const uint32_t seen = news.load(std::memory_order_acquire); // pairs with the release in tell_halted
    if (!halt_wanted.load(std::memory_order_seq_cst) || stopping.load(std::memory_order_acquire))
      break;
    const uint32_t asked = errands_asked.load(std::memory_order_acquire); // pairs with worker_zero_runs
    if (worker.index == 0 && asked != errands_done.load(std::memory_order_relaxed))
      run_errand(asked);
    else
      futex_wait(news, seen);
  }
  halted.fetch_sub(1, std::memory_order_seq_cst);
}

Thread *worker_puts_back(Thread *thread) {
  bundle_put(thread, News::unblocked);
  return thread_next();
}

void worker_zero_runs(bool (*function)(void *context), void *context) {
  SKEIN_ASSERT(halt_wanted.load(std::memory_order_relaxed), "worker 0 has not halted");
  errand_function = function;
  errand_context = context;
  const uint32_t number = errands_asked.load(std::memory_order_relaxed) + 1;
  errands_asked.store(number, std::memory_order_release); // pairs with the acquire in worker_halts
  tell_halted();
  for (;;) {
    const uint32_t done = errands_done.load(std::memory_order_acquire); // pairs with the release in run_errand
    if (static_cast<int32_t>(done - number) >= 0)
      return;
    futex_wait(errands_done, done);
  }
}

void halt_stopping() { tell_halted(); }

void halt_after_fork() {
  long_way(long_halt, false);
  halt_wanted.store(0, std::memory_order_relaxed);
  halted.store(0, std::memory_order_relaxed);
  forget_errand();
}

void halt_begin_again() {
  halted.store(1, std::memory_order_relaxed); // worker 0, which calls this
  forget_errand();
}

} // namespace skein
