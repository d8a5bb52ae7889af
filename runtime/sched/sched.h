// The scheduler: workers, what happens to threads, events. Who runs next is decided by bundles (bundle.h).
//
// A *worker* is a kernel thread with a stack of its own on which all runtime code runs. An API call that may block is a
// stub (arch/x86_64/stub.h): it suspends the caller and calls, on the worker's stack,
//
//     extern "C" Thread *impl(Thread *self, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3);
//
// which returns the thread to resume: `self`, after `self->result = …`, or another one, mostly `thread_next()`. Since
// `self` is completely suspended before `impl` starts, it may be published at once:
//
//     thread_block(self, "skein_join", object);     // no longer running; before anybody can find it
//     …put it where the waker looks…                // from here on another worker may already run it: hands off
//     return thread_next();
//
// and the waker does `thread_wake(thread, result)`. So the whole scheduler is the function that asks for the next
// thread. Rejected: a kernel thread that schedules.
//
// Workers other than the first start with the first spawn, or with `workers_start()`; a program that never spawns has
// no kernel thread but its own.
#ifndef SKEIN_SCHED_SCHED_H
#define SKEIN_SCHED_SCHED_H

#include "base/event.h"
#include "base/list.h"
#include "base/lock.h"
#include "thread/holds.h"
#include "thread/thread.h"

#include <skein/bundle.h>

#include <atomic>
#include <cstdint>

namespace skein {

struct Worker : Processor {
  unsigned long kernel_thread = 0; // its pthread_t; worker 0 is the process's first kernel thread
  std::atomic<volatile unsigned char *> poll_flag{nullptr}; // its __skein_poll_flag; see slices.h

  // Of room sched's bundle.cpp.
  skein_bundle *bundle = nullptr;  // whose thread it ran last
  uint32_t turns = 0;              // threads in a row of which none came from elsewhere
  uint32_t rotation = 0;           // the bundle that was asked last when others had their turn
  std::atomic<uint32_t> visits{0}; // handlers it is inside of
  SpinLock bound_lock{Rank::queue};
  List<Thread> bound;      // ready threads that may run nowhere else
  bool bound_turn = false; // they came first the last time
  std::atomic<uint32_t> bound_count{0};

  bool ended = false;                            // a thread, since it was idle last
  std::atomic<uint64_t> rests{0};                // odd: it has no thread, and does not look for one before that is even
  std::atomic<bool> drives{false};               // room net's progress.cpp
  alignas(64) std::atomic<uint32_t> sleeping{0}; // 1: on the futex; whoever sets it to 0 has to wake it
};

/// This kernel thread's worker, or null.
inline Worker *worker_current() { return static_cast<Worker *>(skein_processor); }

// --- threads --------------------------------------------------------------------------------------------------------

/// Give a thread that is ready again to its bundle and wake a worker if one sleeps. From any kernel thread.
void thread_ready(Thread *thread);
/// The same for one that arrived from another node.
void thread_arrived(Thread *thread);

/// State blocked, with what for in reports. Call before publishing the thread to its waker.
void thread_block(Thread *self, const char *reason, void *object);
/// thread->result = result, then thread_ready. The caller must have removed it from where it waited.
void thread_wake(Thread *thread, uint64_t result);

/// As thread_wake for each in turn, at less cost; their results are set already. The order of `threads` may change.
void threads_wake(Thread **threads, uint32_t count);

/// The next thread to run on this worker; waits for one, on the worker's stack. Null when the scheduler stops (the
/// stub then leaves the worker). For the end of an impl that does not resume `self`.
Thread *thread_next();

/// Take a thread that is initialised or ready, and may leave, out of some bundle of this node; its state becomes
/// in_flight. Null if there is none. The taker sends it away, or returns it with thread_ready.
Thread *take_ready_for_steal(skein_wanted wanted = SKEIN_WANT_FRESH_FIRST);
/// The same for one thread. `state` tells what it was found in if it could not be taken (ended: not here; ready: its
/// bundle does not let go of it).
Thread *take_ready(uint64_t id, ThreadState *state);
/// If the thread is running here: it will be given to events.interrupted at its next poll, if it ever polls. False: it
/// does not run here.
bool thread_interrupt(uint64_t id);
/// Ready or initialised threads on this node, but for bound ones; a hint.
uint64_t threads_ready();

/// Set by room sync: whether the thread, suspended in a yield or a poll, is to end now instead of going on; then it has
/// been seen to.
extern bool (*thread_cancelled)(Thread *self, bool polled);

/// Count and announce a thread created here.
void thread_announce(Thread *thread);
/// One that was announced, and nobody holds, never runs.
void thread_abandon(Thread *thread);
/// A thread that was announced is ready for the first time: give it to its bundle.
void thread_launch(Thread *thread);
/// Create a thread in the root bundle that runs function(a, b), with so many of these two `arguments`, which are
/// integers, and ready it. It is `pinned` by that reason. False without memory.
bool thread_of_runtime(void (*function)(void), uint64_t a, uint64_t b, uint32_t arguments, const char *pinned);
/// Yield: to the end of the queue, if anybody else is ready. For the end of an impl that resumes `self` sooner or
/// later.
Thread *thread_yield(Thread *self);

/// Why calls that could be quick (quick.h) take the long way, all of them; 0: no reason.
enum LongWays : uint32_t {
  long_bundles = 1,  // there is more than root
  long_policy = 2,   // that of root is not `local`, or it changes
  long_stopping = 4, // the scheduler stops
  long_limits = 8,   // some bundle has, or had, a limit
  long_deadlines = 16,
  long_events = 32,   // somebody listens to the life of all threads
  long_workers = 64,  // those that will be do not all run yet
  long_barriers = 128 // the kernel has no asymmetric ones
};
extern std::atomic<uint32_t> long_ways;
void long_way(LongWays reason, bool is);

// --- workers --------------------------------------------------------------------------------------------------------

uint32_t workers_count(); // as many as there will be
uint32_t workers_idle();  // how many wait for something to do; a hint
/// Start the other workers now (a run of several nodes does; else the first spawn does).
void workers_start();
/// How many have no thread and look for none; a hint.
uint32_t workers_resting();
/// Whether, at some moment during this call, no worker ran a thread or was about to, and none was ready. From a handler
/// of net, which is where threads are made ready from outside of workers.
bool workers_at_rest();
/// Wake every sleeping worker, so that `processor_idle` is asked again.
void workers_wake();

// --- life of the runtime --------------------------------------------------------------------------------------------

/// Reserve stacks, install the overflow handler. Once, after knobs_start and with `node` set, before anything else of
/// this file.
void sched_start();
/// Make this kernel thread worker 0 and run threads, `first` before all others, until sched_stop. Returns the status
/// given there, at once if that was called already. `first` has a stack and is in no queue. Unit tests call it again
/// and again, after workers_setup.
int sched_run(Thread *first = nullptr);
/// main, ready to run on a stack of its own size: function(argc, argv, envp).
Thread *main_thread(int (*function)(int, char **, char **), int argc, char **argv, char **envp);
/// Every worker returns from its loop once its current thread lets go; sched_run returns `status`. From any kernel
/// thread.
void sched_stop(int status);
/// main has returned `status` (on whatever node; net tells node 0). Without a termination handler the scheduler stops
/// when no thread lives.
void main_ended(int status);
bool main_has_ended();
int main_status();

// --- events ---------------------------------------------------------------------------------------------------------

/// A *plain* thread holds no lock, of this node or over nodes, and was not cancelled: of its beginning, result and end
/// only those hear who want to hear it of all.
inline bool thread_plain(const Thread &thread) {
  return !holds_any(thread) && !thread.global_holds && !thread.end.cancelled.load(std::memory_order_relaxed);
}

struct Events {
  Event<Thread *> thread_created;  // by spawn, before it is ready
  Event<Thread *> thread_started;  // first resume, on the worker's stack
  Event<Thread *> thread_returned; // its function gave a result, thread->join.returned; it can still be found by its id
  Event<Thread *> thread_ended;  // on the worker's stack; the record is deleted afterwards; thread->result is what its
                                 // function returned
  Event<Thread *, int> outgoing; // migrate: about to leave for a node
  Event<Worker *> polled;        // a running thread took a poll; on the worker's stack, the thread suspended
  Event<> workers_started;
  Event<> forked; // in the child of a fork, where only the calling thread is left

  /// An interrupted thread took a poll, and is suspended. True: it is on its way elsewhere; false: it goes on.
  bool (*interrupted)(Thread *) = nullptr;
  /// `fresh` is to begin on node `to`; nobody holds it. Returns the thread to resume; `self` gets its id as the result,
  /// or 0 and an error text: it could not, and exists no more. `start`: for skein_start, so `self` gets a SKEIN_E*
  /// code, and if that is not SKEIN_OK the thread still waits to be started (but for SKEIN_EDEAD: it is lost).
  Thread *(*spawn_elsewhere)(Thread *self, Thread *fresh, int to, bool start) = nullptr;
  /// A worker finds nothing to do. Returns for how many nanoseconds it may sleep before it asks again; 0: at once (the
  /// worker still looks for threads in between). Null: it sleeps until woken.
  uint64_t (*processor_idle)(Worker *) = nullptr;
  /// It seems that every thread waits; `sure`: workers_at_rest. True: somebody waits for just that, and is woken now
  /// or, if it is not sure, by the next worker that finds nothing to do. Null: as false.
  bool (*at_rest)(bool sure) = nullptr;
  /// No thread lives on this node, or main has ended: decide whether the run is over, and then call sched_stop, now or
  /// later. Null: over when main has ended and no thread lives.
  void (*termination_check)() = nullptr;
};
extern Events events;

/// Counters of this node, as skein_statistics tells them (those of spawned and ended threads are in base/tally.h).
/// Relaxed: nobody orders anything by them.
struct Statistics {
  std::atomic<uint64_t> threads_received, threads_stolen, threads_at_other_address, threads_at_same_address,
      moves_refused, bytes_received, pointers_relocated, image_delta, steals_answered, steal_answer_ns_max;
};
extern Statistics statistics;
inline void count(std::atomic<uint64_t> &counter, uint64_t by = 1) { counter.fetch_add(by, std::memory_order_relaxed); }
/// The same of one that only handlers of room net count up, which run one at a time.
inline void count_in_turn(std::atomic<uint64_t> &counter, uint64_t by = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

} // namespace skein

#endif
