// The scheduler: workers, the states of threads, events. Which thread runs next is decided by bundles (bundle.h).
//
// A *worker* is a kernel thread with a stack of its own on which all runtime code runs. An API call that may block is a
// stub (arch/x86_64/stub.h): it suspends the caller and calls, on the worker's stack,
//
//     extern "C" Thread *impl(Thread *self, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
//
// which returns the thread to resume: `self`, after `self->result = …`, or another one, mostly `thread_next()`. Since
// `self` is completely suspended before `impl` starts, it may be published at once:
//
//     thread_block(self, "skein_join", object);     // no longer running, before another thread can find it
//     (put it where the waker looks)                // from here on another worker may already run it
//     return thread_next();
//
// and the waker calls `thread_wake(thread, result)`. So the whole scheduler is the function that asks for the next
// thread. Rejected: a kernel thread that schedules.
//
// Workers other than the first start with the first spawn, or with `workers_start()`; a program that never spawns has
// no kernel thread but its own.
#ifndef SKEIN_SCHED_SCHED_H
#define SKEIN_SCHED_SCHED_H

#include "base/event.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/node.h"
#include "thread/holds.h"
#include "thread/thread.h"

#include <skein/bundle.h>

#include <atomic>
#include <cstdint>

namespace skein {

struct Worker : Processor {
  unsigned long kernel_thread = 0; // its pthread_t; worker 0 is the process's first kernel thread
  std::atomic<volatile unsigned char *> poll_flag{nullptr}; // its __skein_poll_flag; see time_slices.h

  // Used by bundle.cpp of room sched.
  skein_bundle *bundle = nullptr;  // whose thread it ran last
  uint32_t turns = 0;              // threads run in a row that all came from this bundle or its parents
  uint32_t rotation = 0;           // the bundle that was asked last when the others had their turn
  std::atomic<uint32_t> visits{0}; // how many handlers it is inside of
  SpinLock bound_lock{Rank::queue};
  List<Thread> bound;      // ready threads that may run nowhere else
  bool bound_turn = false; // a bound thread went first the last time
  std::atomic<uint32_t> bound_count{0};

  // What the thread that has just blocked waits for, for who takes the next (local). Its own, but thread sanitizer
  // takes a thread and its worker for two.
  std::atomic<Thread *> wanted{nullptr};
  bool ended = false;              // a thread has ended here since the worker was idle last
  std::atomic<uint64_t> rests{0};  // odd: it has no thread, and looks for none before this is even
  std::atomic<bool> drives{false}; // used by progress.cpp of room net
  // 1: it waits on the futex; the kernel thread that sets it to 0 has to wake it.
  alignas(64) std::atomic<uint32_t> sleeping{0};
};

/// This kernel thread's worker, or null.
inline Worker *worker_current() { return static_cast<Worker *>(skein_processor); }

// --- threads --------------------------------------------------------------------------------------------------------

/// Gives a thread that is ready again to its bundle, and wakes a worker if one sleeps. May be called by any kernel
/// thread.
void thread_ready(Thread *thread);
/// The same for a thread that arrived from another node.
void thread_arrived(Thread *thread);

/// Sets the state to blocked; reports say `reason`. Called before the thread is published to its waker.
void thread_block(Thread *self, const char *reason, void *object);
/// Sets thread->result, then does thread_ready. The caller must have removed the thread from where it waited.
void thread_wake(Thread *thread, uint64_t result);

/// As thread_wake for each thread in turn, at less cost. Their results are set already. The order of `threads` may
/// change.
void threads_wake(Thread **threads, uint32_t count);

/// How many threads were woken while they were parked (thread/parked.h), and have neither a record nor a stack yet.
/// They count as ready. While there are any, workers call `waking_turn` between two threads, which brings some back;
/// set by room migrate.
extern std::atomic<uint64_t> threads_waking;
extern void (*waking_turn)();
/// To be called when threads_waking was counted up: so many workers that sleep are to look.
void workers_announce_waking(uint32_t threads);

/// The next thread to run on this worker; waits for one, on the worker's stack. Null when the scheduler stops, upon
/// which the stub leaves the worker. Called at the end of an impl that does not resume `self`.
Thread *thread_next();
/// For the end of an impl that does: `self` goes on with `code`.
inline Thread *answer(Thread *self, int code) {
  self->result = static_cast<uint64_t>(static_cast<int64_t>(code));
  return self;
}

/// Takes a thread that is initialised or ready, and may leave, out of some bundle of this node; its state becomes
/// in_flight. Null if there is none. The caller sends it away, or returns it with thread_ready.
Thread *take_ready_for_steal(skein_wanted wanted = SKEIN_WANT_FRESH_FIRST);
/// The same for one thread. If it cannot be taken, `state` is the state it was found in (ended: it is not here; ready:
/// its bundle does not let go of it).
Thread *take_ready(uint64_t id, ThreadState *state);
/// If the thread is running here, it is given to events.interrupted at its next poll, or to events.leaves where it
/// yields or goes on after a wait, if it ever does one of these. With `or_waits` it may also be blocked. False: it is
/// not here in such a state.
bool thread_interrupt(uint64_t id, bool or_waits = false);
/// How many threads are ready or initialised on this node, not counting bound ones; a hint.
uint64_t threads_ready();

/// Set by room sync: whether the thread, which is suspended in a yield or a poll, is to end now instead of going on. If
/// so, the function has arranged its end.
extern bool (*thread_cancelled)(Thread *self, bool polled);
/// Set by room migrate. longjmp ends all functions of the calling thread, which has move handlers, whose frames lie
/// below `sp`.
extern void (*jump_ends_handlers)(Thread &self, uintptr_t sp);

/// Counts and announces a thread that was created here.
void thread_announce(Thread *thread);
/// A thread that was announced, and that no other thread knows, never runs: it is deleted.
void thread_abandon(Thread *thread);
/// A thread that was announced is ready for the first time: it is given to its bundle.
void thread_launch(Thread *thread);
/// Creates a thread in the root bundle that runs function(a, b) and makes it ready. Of a and b, which are integers, it
/// gets so many `arguments`. It may not move, for the reason `pinned`. False: there is no memory.
bool thread_of_runtime(void (*function)(void), uint64_t a, uint64_t b, uint32_t arguments, const char *pinned);
/// Yields: `self` goes to the end of the queue if any other thread is ready. Called at the end of an impl that resumes
/// `self` sooner or later.
Thread *thread_yield(Thread *self);

/// Reasons for which all calls that could be quick (quick.h) take the long way; 0: there is none.
enum LongWays : uint32_t {
  long_bundles = 1,  // there is more than root
  long_policy = 2,   // that of root is not `local`, or it changes
  long_stopping = 4, // the scheduler stops
  long_limits = 8,   // some bundle has, or had, a limit
  long_deadlines = 16,
  long_events = 32,    // somebody listens to the life of all threads
  long_workers = 64,   // workers have yet to be started
  long_barriers = 128, // the kernel has no asymmetric ones
  long_resumes = 256,  // somebody listens to threads that go on
  long_trace = 512,    // scheduling is recorded
  long_waking = 1024,  // threads_waking
  long_halt = 2048     // all workers are to stand (halt.h)
};
extern std::atomic<uint32_t> long_ways;
void long_way(LongWays reason, bool is);

// --- workers --------------------------------------------------------------------------------------------------------

uint32_t workers_count(); // how many there will be
uint32_t workers_idle();  // how many wait for something to do; a hint
/// Starts the other workers now. A run of several nodes calls it; else the first spawn does.
void workers_start();
/// How many workers have no thread and look for none; a hint.
uint32_t workers_resting();
/// Whether at some moment during this call no worker ran a thread or was about to, and none was ready. Called by a
/// handler of net, which is where threads are made ready from outside of workers.
bool workers_at_rest();
/// Wakes every sleeping worker, so that `processor_idle` is asked again.
void workers_wake();

// --- life of the runtime --------------------------------------------------------------------------------------------

/// Reserves stacks and installs the overflow handler. Called once, after knobs_start and with `node` set, before
/// anything else of this file.
void sched_start();
/// Makes this kernel thread worker 0 and runs threads, `first` before all others, until sched_stop. Returns the status
/// given there, at once if sched_stop was called already. `first` has a stack and is in no queue. Unit tests call it
/// again and again, after workers_setup.
int sched_run(Thread *first = nullptr);
/// Creates main, ready to run function(argc, argv, envp) on a stack of its own size.
Thread *main_thread(int (*function)(int, char **, char **), int argc, char **argv, char **envp);
/// Lets every worker return from its loop once its current thread lets go of it; sched_run returns `status`. May be
/// called by any kernel thread.
void sched_stop(int status);
/// main has returned `status`, on whatever node; net tells node 0. Without a termination handler the scheduler stops
/// when no thread lives.
void main_ended(int status);
bool main_has_ended();
int main_status();

// --- events ---------------------------------------------------------------------------------------------------------

/// A *plain* thread holds no lock, of this node or over nodes, and was not cancelled. Its beginning, result and end are
/// told only to listeners that asked to hear of all threads.
inline bool thread_plain(const Thread &thread) {
  return thread.holds.empty() && !(thread.global_holds | thread.end.cancelled.load(std::memory_order_relaxed));
}

struct Events {
  Event<Thread *> thread_created;  // by spawn, before it is ready
  Event<Thread *> thread_started;  // first resume, on the worker's stack
  Event<Thread *> thread_returned; // its function gave a result, thread->join.returned; it can still be found by its id
  Event<Thread *> thread_ended;  // on the worker's stack; the record is deleted afterwards; thread->result is what its
                                 // function returned
  Event<Thread *, int> outgoing; // migrate: a thread is about to leave for a node
  Event<Worker *> polled;        // a running thread took a poll; on the worker's stack, the thread suspended
  Event<> workers_started;
  Event<> forked; // in the child of a fork, where only the calling thread is left

  /// A thread that has run before is about to go on, on the worker's stack. Null: nobody listens.
  void (*resumes)(Thread *) = nullptr;
  /// An interrupted thread polls, and is suspended. True: it is on its way elsewhere. False: it goes on.
  bool (*interrupted)(Thread *) = nullptr;
  /// The same for one that yields, or has waited and is about to go on. It may have been interrupted for other reasons,
  /// and has to poll then.
  bool (*leaves)(Thread *) = nullptr;
  /// The thread `fresh`, which no other thread knows, is to begin on node `to`. Returns the thread to resume. The
  /// result of `self` is the new thread's id; or 0 and an error text, if `fresh` could not be sent and was deleted.
  /// With `start` this is a skein_start: `self` gets a SKEIN_E* code instead, and unless that is SKEIN_OK the thread
  /// still waits to be started (but after SKEIN_EDEAD it is lost).
  Thread *(*spawn_elsewhere)(Thread *self, Thread *fresh, int to, bool start) = nullptr;
  /// A worker finds nothing to do. Returns for how many nanoseconds it may sleep before it asks again; after 0 it asks
  /// at once, and still looks for threads in between. If this is null, the worker sleeps until it is woken.
  uint64_t (*processor_idle)(Worker *) = nullptr;
  /// It seems that every thread waits; `sure` is what workers_at_rest says. True: a thread waits for just that, and is
  /// woken now, or, if it is not sure, by the next worker that finds nothing to do. Null means false.
  bool (*at_rest)(bool sure) = nullptr;
  /// No thread lives on this node, or main has ended: decides whether the run is over, and then calls sched_stop, now
  /// or later. If this is null, the run is over when main has ended and no thread lives.
  void (*termination_check)() = nullptr;
};
extern Events events;

/// Counters of this node, as skein_statistics reports them (spawned and ended threads are counted in base/tally.h).
/// They are relaxed, since no other memory access is ordered by them.
struct Statistics {
  std::atomic<uint64_t> threads_received, threads_stolen, threads_at_other_address, threads_at_same_address,
      moves_refused, bytes_received, pointers_relocated, image_delta, steals_answered, steal_answer_ns_max,
      channels_sent[nodes_max]; // messages over channels, to each node
};
extern Statistics statistics;
inline void count(std::atomic<uint64_t> &counter, uint64_t by = 1) { counter.fetch_add(by, std::memory_order_relaxed); }
/// The same for a counter that only handlers of room net increase; those run one at a time.
inline void count_in_turn(std::atomic<uint64_t> &counter, uint64_t by = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

} // namespace skein

#endif
