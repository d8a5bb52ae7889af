// A bundle is a group of threads with a scheduling policy of its own. <skein/bundle.h> says what a program may do with
// one and what its handlers may do; this file is the runtime's side: the record of a bundle, and how the scheduler
// tells it what happens and gets threads from it.
//
// A handler is called within a *visit*, which marks the kernel thread as being inside of the bundle. To change the
// events of a bundle, the runtime closes it to new visits, waits until no kernel thread is inside, moves the ready
// threads over, and opens it again. So a handler never sees its bundle change. A visit costs two stores; the change
// costs a system call (uneven_barrier.h).
//
// The runtime counts ready threads itself and does not leave that to the bundles, since sleeping workers depend on the
// count (base/tally.h). The count is never too low:
//
//     put++   then the bundle holds it                the bundle lets go of it   then got++
//
// The record of a bundle is never freed, so a stale pointer to one can still be read.
#ifndef SKEIN_SCHED_BUNDLE_H
#define SKEIN_SCHED_BUNDLE_H

#include "base/lock.h"
#include "sched/sched.h"
#include "thread/holds.h"

#include <skein/bundle.h>

#include <cstddef>

struct skein_bundle {
  // Null while the events change, or if the bundle does not exist.
  std::atomic<const skein_bundle_events *> events{nullptr};
  void *data = nullptr;
  // Of a bundle that has ended: root, for the workers that ran its threads last.
  std::atomic<skein_bundle *> parent{nullptr};
  uint32_t number = 0;     // in the table; root is 0
  uint32_t definition = 0; // its number on all nodes: 0 is root, then each SKEIN_BUNDLE in the program's order
  std::atomic<uint64_t> slice_ns{UINT64_MAX}; // how long one of its threads may run while others wait (time_slices.h)
  bool foreign = false;                       // its handlers are the program's, not the library's
  std::atomic<uint64_t> threads{0};
  std::atomic<uint32_t> children{0};
  std::atomic<uint64_t> limit{0}; // of threads; 0: none. The limit of root is that of the whole node (limits.h)
  skein::SpinLock limit_lock{skein::Rank::limits};
  skein::List<skein::Thread> limit_waiters; // threads that wait to spawn into it
  skein::SpinLock changing{skein::Rank::bundle};
  skein::SpinLock handlers_lock{skein::Rank::leaf};
  struct Handler {
    skein_event_handler function;
    void *context;
  };
  static constexpr uint32_t events_most = 32;
  Handler handlers[events_most] = {}; // of the program's own events, by number - 1
  char name[24] = {};
};

namespace skein {

/// As skein_bundle_create, with data from the start.
skein_bundle *bundle_create_with(const char *name, const skein_bundle_events *events, skein_bundle *parent, void *data);

/// The definition of a bundle that no other node knows.
inline constexpr uint32_t bundle_local = UINT32_MAX;

/// Creates root with the policy that the knob names, and the bundles that the program defines. Called before the first
/// thread exists.
void bundles_start();
/// In the child of a fork: `self` is the only thread.
void bundles_after_fork(Thread *self);

/// Root exists from the beginning; it has no events before bundles_start.
extern skein_bundle *const bundle_root;
/// The bundle that other nodes know by that number, or null.
skein_bundle *bundle_of_definition(uint32_t definition);

/// Gives a thread that is initialised, or ready again, to its bundle. `news` is what the bundle is told about it.
enum class News : uint8_t { created, unblocked, incoming };
void bundle_put(Thread *thread, News news);
/// The same for several threads that are ready again, none of which is bound to a worker.
void bundle_put_all(Thread *const *threads, uint32_t count);
/// Gives back a ready thread that an event took out of its bundle for another reason than to run it. Waits while the
/// bundle is closed.
void bundle_return(Thread *thread);

/// The thread that `worker` runs next, or null if there is none. Its state is running, or initialised if it has no
/// stack.
Thread *bundle_next(Worker &worker);
/// The same, but only one that has a stack.
Thread *bundle_next_started(Worker &worker);
/// The thread `running` gives way. False: no other thread is to run, and it goes on. True: its bundle holds it, and
/// `next` is to run; `next` is null if other workers have taken all ready threads meanwhile, which may include
/// `running`.
bool bundle_yield(Worker &worker, Thread *running, Thread *&next);

/// A thread that its bundle let go of runs next on `worker`: its state becomes running, if it has a stack.
void thread_set_running(Worker &worker, Thread *thread);

/// Takes out some thread that may leave this node, of the bundle `only` if one is given; its state becomes in_flight.
/// Null if there is none.
Thread *bundle_outgoing(skein_wanted wanted, const skein_bundle *only = nullptr);
/// Takes this thread out, if its bundle holds it and can let go of it; its state becomes in_flight. Under the thread
/// table's lock.
bool bundle_take(Thread *thread);

/// The bundle of `self` is told that it blocks, starts, has ended.
void bundle_blocked(Thread *self);
void bundle_started(Thread *self);
void bundle_ended(Thread *self);

/// A new thread, or one that arrived, is in `bundle` until it has ended or left the node.
void bundle_enter(Thread *thread, skein_bundle *bundle);
void bundle_leave(Thread *thread);

/// How many threads of this node are ready: by the order of counting above at least as many as there are. `started`:
/// only those that have a stack.
uint64_t bundles_ready();
uint64_t bundles_ready_started();

inline skein_tcb *tcb_of(Thread *thread) { return reinterpret_cast<skein_tcb *>(static_cast<Link *>(thread)); }
inline const skein_tcb *tcb_of(const Thread *thread) {
  return reinterpret_cast<const skein_tcb *>(static_cast<const Link *>(thread));
}
inline Thread *thread_of(skein_tcb *tcb) { return static_cast<Thread *>(reinterpret_cast<Link *>(tcb)); }
inline const Thread *thread_of(const skein_tcb *tcb) {
  return static_cast<const Thread *>(reinterpret_cast<const Link *>(tcb));
}

/// If set, main is never chosen to move: it moves when it pushes itself, or is pushed by its id.
extern std::atomic<bool> main_stays;
/// If set, no thread may leave this node, since every other node would refuse it (migrate/program_numbers.h).
extern std::atomic<bool> all_stay;

/// Whether nothing that is known keeps the thread on this node. Only the kernel thread that holds the thread may ask.
inline bool thread_may_leave(const Thread *thread) {
  return !thread->pinned_by && !thread->escaped && (!thread_numbered(*thread) || stack_keeps_address(thread->stack)) &&
         !thread->deep && !thread->settling && !thread->bound && !holds_any(*thread) &&
         !thread->descriptors.load(std::memory_order_relaxed) && !all_stay.load(std::memory_order_relaxed) &&
         (thread->id != main_id || !main_stays.load(std::memory_order_relaxed));
}

/// How well a thread fits a steal. no: it may not leave, or is of the wrong kind; second: it is taken if there is
/// nothing better; first: it is what is wanted.
enum class Fit : uint8_t { no, second, first };
Fit thread_fit(const Thread *thread, skein_wanted wanted);
/// The first thread of the list that fits as `first`, unless it is far behind in the list; else the first one that fits
/// as `second`. Null if none fits.
Thread *first_wanted(const List<Thread> &list, skein_wanted wanted);

} // namespace skein

#endif
