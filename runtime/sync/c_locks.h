// The C library takes a Skein thread for the kernel thread that runs it. Its locks (pthread_mutex_t and std::mutex,
// rwlocks, spin locks, flockfile, sem_t, C11's mtx_t, guards of static variables, pthread_once) would stop a worker
// whose other threads could run, and would be left behind when their holder moves to another node.
//
// So programs define these functions for themselves and their libraries (interpose/), and each ends in libc's. They
// add:
//
//  * A thread that takes a lock has a hold (thread/holds.h): it does not leave the node with it, and reports say where
//    it was taken. If another thread gives the lock back, the hold of the first one ends. A sem_t counts as a lock if
//    it began with a value above 0, as locks and pools do; a thread that waits for one that began with 0 is told
//    something, and holds nothing.
//  * A Skein thread that finds a lock taken does not stop its worker, on which the holder may be waiting for its turn:
//    it blocks, others run, and the thread that gives the lock back wakes it. So programs that need as many kernel
//    threads as threads work on fewer, and if nobody can ever give the lock back, that is a deadlock like any other
//    (sched/deadlock.h). Condition variables follow, since waiting for one gives the mutex back.
//  * A lock that libc knows by the kernel thread that took it (recursive and error-checking mutexes, those that inherit
//    priorities, rwlocks taken for writing, FILEs) binds its holder to the worker, since another worker would give back
//    something else. To the other threads of that worker libc would give such a mutex or FILE once more, so these
//    functions treat it as taken.
//
// A thread waits in the ring of a slot of a table, found by the address of the lock, since the ring cannot lie in
// libc's object. The slot's count tells an unlock that somebody waits or is about to:
//
//     waiter, under the bucket's lock                      who unlocks
//     count++                                              libc's unlock (a locked instruction)
//     libc's trylock (another one); busy: into the ring    count? under the bucket's lock: wake
//
// One of the two sees the other. Unlocks that nobody sees, by a kernel thread inside of libc (which waits for a
// condition, say) or by another process, are found by looking again every millisecond, later every 16. In a program
// that has neither, waiters do not look.
//
// The caller's frame is one that no map describes, so nobody moves a thread that waits here; and it is bound, since
// libc knows the kernel thread. A library that skeincc did not compile must not be left in the middle, since another
// thread might enter it on the same kernel thread. So there the worker itself waits, and says so if the holder is one
// of its own threads (c_lock_stands).
//
// Rejected: to refuse a move because of a mutex's own state (libc notes the kernel thread, and for most kinds not even
// that); to yield until the lock is free (a deadlock would never be found, and a lone waiter burns its core).
#ifndef SKEIN_SYNC_C_LOCKS_H
#define SKEIN_SYNC_C_LOCKS_H

#include "sync/waits.h"
#include "thread/holds.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

struct CWaitKind : WaitKind {
  const char *what; // "pthread_mutex_t"
};

struct CWait {
  void *object;
  const CWaitKind *kind;
  /// On the worker's stack, under the lock of a bucket: takes the lock, or does what comes right before the wait.
  /// EBUSY: the thread is to wait.
  int (*attempt)(CWait *wait);
  void *context;          // the attempt's
  const void *gives_back; // a lock that the attempt gave back if the thread is to wait; null: none
  bool again;             // to be attempted again when it is woken
  bool unseen;            // and now and then, since it may be given back unseen
  uint64_t deadline_ns;
  int result;
};

/// From now on any lock may be given back unseen.
void c_unseen_from_now_on();

void c_wait_withdrawn(Thread *thread, Woken &woken);
void c_wait_describe(const Thread &thread, char *to, size_t bytes);

constexpr CWaitKind c_wait_kind(const char *call, const char *what) {
  CWaitKind kind{};
  kind.call = call;
  kind.withdrawn = c_wait_withdrawn;
  kind.describe = c_wait_describe;
  kind.c_library = true;
  kind.what = what;
  return kind;
}

/// Waits. Returns the result of the attempt, or ETIMEDOUT; 0 after a wait that is not attempted again.
int c_wait(Thread *self, CWait &wait);

/// A slot of the table.
struct alignas(64) CWaiters {
  Ring ring;
  std::atomic<uint32_t> count{0};
};
inline constexpr size_t c_waiters_count = 256;
static_assert(offsetof(CWaiters, ring) == 0);
extern CWaiters c_waiters[c_waiters_count];
inline CWaiters &c_waiters_of(const void *object) {
  const auto address = reinterpret_cast<uintptr_t>(object);
  return c_waiters[(address >> 3 ^ address >> 11) % c_waiters_count];
}
void c_wake_slow(const void *object, bool all);
/// The lock was given back, or the condition signalled: wakes one thread that waits for it, or all.
inline void c_wake(const void *object, bool all) {
  if (__builtin_expect(c_waiters_of(object).count.load(std::memory_order_relaxed) != 0, 0))
    c_wake_slow(object, all);
}

/// A thread stays on its worker as long as it has a lock that only this worker can give back.
inline void c_lock_bind(Thread *self) {
  self->holds.binds++;
  if (!self->bound)
    self->bound = self->holds.bound = true;
}
inline void c_lock_unbind(Thread *self) {
  if (self->holds.binds && --self->holds.binds == 0 && self->holds.bound)
    self->bound = self->holds.bound = false;
}

/// Whether a Skein thread of this node other than `self` (null: any) holds the lock. Called without a lock.
bool c_lock_held(const void *object, const Thread *self);

/// The thread that runs; null if the runtime itself, or what it calls, runs on the worker's own stack.
inline Thread *c_caller() {
  const Processor *processor = skein_processor;
  return processor && processor->current && !on_workers_stack(*processor) ? processor->current : nullptr;
}

/// Whether the code that called may be left for another thread: skeincc compiled it, or, for a condition, it is the C++
/// library's.
bool c_lock_may_block(const void *place, bool condition);
/// The worker is about to wait for a lock that a library asks for. Says so if its holder is a thread that does not run.
void c_lock_stands(const Thread *self, const void *object, const CWaitKind &kind, const void *place);
/// Says so if a thread asks for a lock that it holds already, and that it will not get a second time.
void c_lock_own(const Thread *self, const void *object, const CWaitKind &kind, const void *place);

/// Part of join_start's handler of events.forked.
void c_locks_after_fork();

} // namespace skein

#endif
