// The life of threads between their creation and their end, and of the scheduler as a whole. Workers are in worker.cpp,
// queues in bundles/queue.cpp, what programs call is in api.cpp.
#include "sched/sched.h"

#include "arch/x86_64/switch.h"
#include "base/alone.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "base/tally.h"
#include "base/uneven_barrier.h"
#include "private/globals/arguments.h"
#include "private/globals/globals.h"
#include "sched/bundle.h"
#include "sched/for_debuggers.h"
#include "sched/fork.h"
#include "sched/halt.h"
#include "sched/limits.h"
#include "sched/load.h"
#include "sched/thread_dump.h"
#include "sched/time_slices.h"
#include "sched/worker.h"
#include "thread/crash.h"
#include "thread/growable.h"
#include "thread/overflow.h"
#include "thread/table.h"
#include "trace/trace.h"

#include <cerrno>

namespace skein {

Events events;
std::atomic<uint64_t> threads_waking{0};
void (*waking_turn)();
Statistics statistics;

namespace {

std::atomic<int> status_given{0};
std::atomic<bool> main_done{false};
int main_result;
uint64_t last_id =
    main_id; // the thread whose result is the program's: main, or what is left of it in the child of a fork

/// No thread lives here, or main has ended: checks whether the run is over.
void check_termination() {
  if (events.termination_check)
    events.termination_check();
  else if (main_has_ended() && threads_living() == 0)
    sched_stop(main_result);
}

} // namespace

void look_for_the_end() {
  // When two workers end the last two threads, at least one of them sees that both are gone.
  std::atomic_thread_fence(std::memory_order_seq_cst); // partner: itself, on other workers
  if (threads_living() == 0)
    check_termination();
}

/// From here on reports say no more that the thread waits.
static void waits_no_more(Thread *thread) {
  thread->wait.reason = nullptr;
  __atomic_store_n(&thread->wait.object, nullptr, __ATOMIC_RELAXED); // a timer that fires late may still look
}

/// Gives the thread to its bundle; from there on another worker may already run it.
static void hand_over(Thread *thread, News news) {
  const bool bound = thread->bound;
  const uint32_t worker = thread->worker;
  waits_no_more(thread);
  bundle_put(thread, news);
  if (bound)
    workers_notice_bound(worker);
  else
    workers_notice(!worker_current());
  slices_notice();
}

void thread_ready(Thread *thread) { hand_over(thread, News::unblocked); }
void thread_arrived(Thread *thread) { hand_over(thread, News::incoming); }

void thread_block(Thread *self, const char *reason, void *object) {
  self->wait.reason = reason;
  __atomic_store_n(&self->wait.object, object, __ATOMIC_RELEASE); // after `queued` of the wait before this one
  self->state.store(ThreadState::blocked, std::memory_order_relaxed);
  if (trace_on(TraceClass::scheduling))
    trace_record(TraceEvent::blocks, self->id, reinterpret_cast<uint64_t>(object), trace_text(reason), 0);
  bundle_blocked(self);
}

static void must_be_blocked(const Thread *thread) {
  SKEIN_ASSERT(thread->state.load(std::memory_order_relaxed) == ThreadState::blocked, "thread %s is woken but is %s",
               thread_name(thread->id).text, thread_state_name(thread->state.load(std::memory_order_relaxed)));
}

void thread_wake(Thread *thread, uint64_t result) {
  must_be_blocked(thread);
  thread->result = result;
  thread_ready(thread);
}

void threads_wake(Thread **threads, uint32_t count) {
  uint32_t free = 0; // not bound to a worker
  for (uint32_t i = 0; i < count; i++) {
    must_be_blocked(threads[i]);
    if (threads[i]->bound) {
      thread_ready(threads[i]);
      continue;
    }
    waits_no_more(threads[i]);
    threads[free++] = threads[i];
  }
  if (!free)
    return;
  bundle_put_all(threads, free);
  workers_notice(!worker_current(), free);
  slices_notice();
}

void thread_announce(Thread *thread) {
  SKEIN_ASSERT(thread->bundle, "thread %s is in no bundle", thread_name(thread->id).text);
  tally(Tally::spawned);
  trace(TraceEvent::created, thread->id, trace_function(thread->start.function));
  events.thread_created(thread);
}

void thread_launch(Thread *thread) { hand_over(thread, News::created); }

bool thread_of_runtime(void (*function)(void), uint64_t a, uint64_t b, uint32_t arguments, const char *pinned) {
  Thread *thread = thread_new();
  if (!thread)
    return false;
  bundle_enter(thread, bundle_root);
  thread->start.function = function;
  thread->words[0] = a;
  thread->words[1] = b;
  thread->start.count = arguments;
  thread->start.classes = SKEIN_ARGUMENT_INTEGER | SKEIN_ARGUMENT_INTEGER << 2;
  thread->start.control = control_words_of_process;
  thread->pinned_by = pinned;
  thread_announce(thread);
  thread_launch(thread);
  return true;
}

void thread_abandon(Thread *thread) {
  bundle_leave(thread);
  tally(Tally::ended);
  thread_unlist(thread);
  events.thread_ended(thread);
  thread_delete(thread);
}

Thread *take_ready_for_steal(skein_wanted wanted) { return bundle_outgoing(wanted); }

Thread *take_ready(uint64_t id, ThreadState *state) {
  Thread *taken = nullptr;
  *state = ThreadState::ended;
  thread_with(id, [&](Thread *thread) {
    if (*state = thread->state.load(std::memory_order_relaxed); *state == ThreadState::created)
      return;
    // Under the table's lock the record stays this thread's. For an instant the thread may be neither in its bundle nor
    // running, so this looks again.
    constexpr unsigned looks = 1000;
    for (unsigned look = 0; look < looks && !taken; look++) {
      *state = thread->state.load(std::memory_order_acquire); // pairs with the release in image_restore
      if (*state != ThreadState::ready && *state != ThreadState::initialised)
        break;
      if (bundle_take(thread))
        taken = thread;
    }
  });
  return taken;
}

bool thread_interrupt(uint64_t id, bool or_waits) {
  bool told = false;
  thread_with(id, [&](Thread *thread) {
    const ThreadState state = thread->state.load(std::memory_order_relaxed);
    const bool runs = state == ThreadState::running;
    told = runs || (or_waits && state == ThreadState::blocked);
    if (told)
      thread->interrupted.store(true, std::memory_order_relaxed);
    if (runs)
      slices_interrupt(thread);
  });
  return told;
}

uint64_t threads_ready() { return bundles_ready() + threads_waking.load(std::memory_order_relaxed); }

void sched_start() {
  control_words_start();
  stacks_start();
  overflow_start();
  barrier_start();
  workers_setup();
  thread_table_start(workers_count());
  bundles_start();
  fork_start();
  thread_dump_start();
  debugger_start();
  crash_start();
  slices_start();
  limits_start();
  load_start();
}

Thread *main_thread(int (*function)(int, char **, char **), int argc, char **argv, char **envp) {
  Thread *thread = thread_new(main_id);
  if (!thread)
    fatal("no memory for main's record");
  if (node.count > 1)
    arguments_copy(*thread, argc, argv, envp);
  bundle_enter(thread, bundle_root);
  Start &start = thread->start;
  start.function = reinterpret_cast<void (*)(void)>(function);
  thread->words[0] = static_cast<uint64_t>(argc);
  thread->words[1] = reinterpret_cast<uint64_t>(argv);
  thread->words[2] = reinterpret_cast<uint64_t>(envp);
  start.count = 3;
  start.classes = SKEIN_ARGUMENT_INTEGER | SKEIN_ARGUMENT_POINTER << 2 | SKEIN_ARGUMENT_POINTER << 4;
  start.control = control_words_of_process;
  if (!thread_take_stack(thread, stack_bytes_max()))
    fatal("no memory for main's stack of %zu KiB", stack_bytes_max() >> 10);
  globals_adopt(*thread);
  thread_prepare(thread);
  thread->state.store(ThreadState::running, std::memory_order_relaxed);
  main_done.store(false, std::memory_order_relaxed);
  return thread;
}

int sched_run(Thread *first) {
  worker_begin(workers[0]);
  workers[0].bundle = bundle_root;
  thread_table_adopt(workers[0]);
  processor_set_segment(workers[0], segment_nowhere);
  overflow_worker_start();
  slices_worker_start();
  long_way(long_barriers, !barrier_asymmetric);
  long_way(long_events, events.thread_created || events.thread_started.for_plain() ||
                            events.thread_returned.for_plain() || events.thread_ended.for_plain());
  if (node.count == 1 && workers_count() == 1)
    alone_start();
  if (node.count > 1)
    workers_start();
  if (!first)
    first = thread_next();
  if (first) {
    trace(TraceEvent::runs, first->id, trace_function(first->start.function));
    skein_worker_enter(&workers[0], first);
  }
  worker_begin(workers[0]);
  workers_join();
  globals_after_run();
  skein_processor = nullptr;
  overflow_worker_stop();
  return exit_status();
}

void sched_stop(int status) {
  status_given.store(status, std::memory_order_relaxed);
  long_way(long_stopping, true);
  stopping.store(true, std::memory_order_release); // pairs with the acquire in thread_next
  workers_wake_all();
  halt_stopping();
}

void main_ended(int status) {
  main_result = status;
  main_done.store(true, std::memory_order_release); // pairs with the acquire in main_has_ended
  check_termination();
}

int exit_status() { return status_given.load(std::memory_order_relaxed); }

void main_after_fork() { last_id = thread_current()->id; }

bool main_has_ended() { return main_done.load(std::memory_order_acquire); }
int main_status() { return main_result; }

/// A thread's function has returned `result`, or `real` in the floating-point register. Runs on the worker's stack,
/// like all implementations of stubs.
extern "C" Thread *skein_thread_exit_call(Thread *self, uint64_t result, uint64_t real) {
  const uint64_t id = self->id;
  self->result = result;
  if (id == main_id)
    globals_main_ends();
  skein_bundle &bundle = *self->bundle;
  bundle_ended(self); // before another thread can find it gone, and destroy its bundle
  if (thread_returns(*self)) {
    self->join.returned = thread_result(*self, result, self->end.begun ? result : real);
    events.thread_returned(self);
  }
  if (self->owned)
    thread_ending(self); // whoever hears of its end may want the addresses of its private memory (room pack)
  tally(Tally::ended);   // before anybody can know that it has, and ask
  thread_unlist(self);   // from here on no thread can begin to wait for it
  trace(TraceEvent::ends, id);
  events.thread_ended(self);
  processor_runs_none(*worker_current());
  if (id == last_id && node.self == 0)
    main_ended(id == main_id ? static_cast<int>(result) : 0);
  thread_delete(self);
  limits_ended(bundle);
  worker_current()->ended = true;
  return thread_next();
}

bool (*thread_cancelled)(Thread *self, bool polled);

static bool ends_here(Thread *self, bool polled) {
  return __builtin_expect(self->end.cancelled.load(std::memory_order_relaxed), 0) && thread_cancelled(self, polled);
}

extern "C" Thread *skein_yield_call(Thread *self) { return ends_here(self, false) ? self : thread_yield(self); }

extern "C" Thread *skein_poll_call(Thread *self) {
  __atomic_store_n(&__skein_poll_flag, 0, __ATOMIC_RELAXED); // another kernel thread set it
  if (self->interrupted.load(std::memory_order_relaxed) && events.interrupted && events.interrupted(self))
    return thread_next();
  events.polled(worker_current());
  return ends_here(self, true) ? self : thread_yield(self);
}

extern "C" Thread *skein_workers_begin_call(Thread *self) {
  workers_start();
  return self;
}

} // namespace skein
