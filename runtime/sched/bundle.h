// Bundles inside of the runtime: their records, and how the scheduler tells them what happens and gets threads from
// them. What a bundle is and what its handlers may do: <skein/bundle.h>.
//
// A handler is called within a *visit*, which marks the kernel thread as inside. Changing the events of a bundle closes
// it to new visits, waits until nobody is inside of any, moves the ready threads over, and opens it again. So a handler
// never sees its bundle change, at the price of two stores; the one who changes pays with a system call (barrier.h).
//
// Ready threads are counted here and not by the bundles, since sleeping workers depend on the count (base/tally.h):
//
//     put++   then the bundle holds it                the bundle lets go of it   then got++
//
// Records of bundles are never given back, so a stale pointer to one can be looked at.
#ifndef SKEIN_SCHED_BUNDLE_H
#define SKEIN_SCHED_BUNDLE_H

#include "base/lock.h"
#include "sched/sched.h"
#include "thread/holds.h"

#include <skein/bundle.h>

#include <cstddef>

struct skein_bundle {
  std::atomic<const skein_bundle_events *> events{nullptr}; // null while it changes, or does not exist
  void *data = nullptr;
  std::atomic<skein_bundle *> parent{nullptr}; // of one that has ended: root, for workers that ran its threads last
  uint32_t number = 0;                         // in the table; root is 0
  uint32_t definition = 0; // what other nodes know it by: 0 root, then SKEIN_BUNDLEs in the program's order
  std::atomic<uint64_t> slice_ns{UINT64_MAX}; // how long its threads may run while others wait (slices.h)
  bool foreign = false;                       // its handlers are the program's, not the library's
  std::atomic<uint64_t> threads{0};
  std::atomic<uint32_t> children{0};
  std::atomic<uint64_t> limit{0}; // of threads; 0: none. Of root: of all of this node (limits.h)
  skein::SpinLock limit_lock{skein::Rank::limits};
  skein::List<skein::Thread> limit_waiters; // they wait to spawn into it
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

/// What no other node knows.
inline constexpr uint32_t bundle_local = UINT32_MAX;

/// Root, as the knob says, and those that the program defines. Before the first thread.
void bundles_start();
/// In the child of a fork: `self` is the only thread.
void bundles_after_fork(Thread *self);

/// There from the beginning; without events before bundles_start.
extern skein_bundle *const bundle_root;
/// The one that other nodes know by that number, or null.
skein_bundle *bundle_of_definition(uint32_t definition);

/// A thread that is initialised or ready again goes to its bundle. `news`: what the bundle is told.
enum class News : uint8_t { created, unblocked, incoming };
void bundle_put(Thread *thread, News news);
/// The same for several that are ready again, none of them bound.
void bundle_put_all(Thread *const *threads, uint32_t count);
/// A ready thread that an event took out of its bundle, not to run it, is back there. Waits while that one is closed.
void bundle_return(Thread *thread);

/// The thread that `worker` runs next, in state running (or initialised, without a stack); null: there is none.
Thread *bundle_next(Worker &worker);
/// The same, but only one that has a stack.
Thread *bundle_next_started(Worker &worker);
/// `running` gives way. False: nobody else wants to run, and it goes on. True: its bundle holds it, and `next` runs; or
/// null: others were faster, with `running` too, perhaps.
bool bundle_yield(Worker &worker, Thread *running, Thread *&next);

/// A thread that its bundle let go of runs next on `worker`: its state becomes running, if it has a stack.
void thread_set_running(Worker &worker, Thread *thread);

/// Some thread that may leave this node; state in_flight. Null if there is none.
Thread *bundle_outgoing(skein_wanted wanted, const skein_bundle *only = nullptr); // only: of this bundle
/// This thread, if its bundle holds it and can let go of it; state in_flight. Under the thread table's lock.
bool bundle_take(Thread *thread);

/// News. `self` blocks, starts, has ended.
void bundle_blocked(Thread *self);
void bundle_started(Thread *self);
void bundle_ended(Thread *self);

/// A new thread, or one that arrived, is in `bundle` until it has ended or left the node.
void bundle_enter(Thread *thread, skein_bundle *bundle);
void bundle_leave(Thread *thread);

/// Ready threads of this node: at least as many as this, by the rule above; `started`: that have a stack.
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

/// If set, main moves only by itself, or when it is pushed by its id.
extern std::atomic<bool> main_stays;
/// If set, no thread may leave this node: all would be refused (migrate/program_numbers.h).
extern std::atomic<bool> all_stay;

/// Whether nothing that is known keeps the thread on this node. For the caller that holds the thread.
inline bool thread_may_leave(const Thread *thread) {
  return !thread->pinned_by && !thread->escaped && (!thread->numbered || stack_keeps_address(thread->stack)) &&
         !thread->deep && !thread->settling && !thread->bound && !holds_any(*thread) &&
         !thread->descriptors.load(std::memory_order_relaxed) && !all_stay.load(std::memory_order_relaxed) &&
         (thread->id != main_id || !main_stays.load(std::memory_order_relaxed));
}

/// How well a thread fits a steal. no: it may not leave, or is of the wrong kind; second: it is taken if there is
/// nothing better; first: it is what is wanted.
enum class Fit : uint8_t { no, second, first };
Fit thread_fit(const Thread *thread, skein_wanted wanted);
/// The first thread of a list that fits first, if it is not far behind in the list, or else the first that fits second.
/// Null if none fits.
Thread *first_wanted(const List<Thread> &list, skein_wanted wanted);

} // namespace skein

#endif
