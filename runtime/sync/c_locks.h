// Locks of the C library that Skein threads take: pthread_mutex_t and std::mutex, rwlocks, spin locks, flockfile,
// sem_t, C11's mtx_t, guards of static variables, pthread_once.
//
// Programs define these functions for themselves and their libraries (interpose/), and each ends in libc's.
// What they add:
//
//  * Who takes one has a hold (thread/holds.h): its thread does not leave the node with it, and says where it was
//  taken.
//    A lock that another thread gives back ends the hold of whoever had it. A sem_t counts if it began with a value
//    above 0, as locks and pools do; who waits for one that began with 0 has been told something, and holds nothing.
//  * A Skein thread that finds one taken does not stop its worker, on which the holder may be waiting for its turn: it
//    blocks, others run, and whoever gives the lock back wakes it. So what would stand for ever on fewer kernel threads
//    than Skein threads works, and if nobody can ever give it back, that is a deadlock like any other
//    (sched/deadlock.h). Condition variables follow, since waiting for one gives the mutex back.
//  * A lock that libc knows by the kernel thread that took it (recursive and error-checking mutexes, those that inherit
//    priorities, rwlocks taken for writing, FILEs) binds its holder to the worker: another one would give back
//    something else. Mutexes and FILEs are taken for the other threads of that worker, too, to which libc would give
//    them once more.
//
// A thread waits on the ring of a slot of a table, by the address of the lock: the ring cannot lie in libc's object.
// The slot's count tells an unlock that somebody waits or is about to:
//
//     waiter, under the bucket's lock                      who unlocks
//     count++                                              libc's unlock (a locked instruction)
//     libc's trylock (another one); busy: into the ring    count? under the bucket's lock: wake
//
// One of the two sees the other. Unlocks that nobody sees, by a kernel thread inside of libc (which waits for a
// condition, say) or by another process, are found by looking again every millisecond, later every 16; in a program
// that has neither nobody looks.
//
// The caller's frame is one that no map describes, so nobody moves a thread that waits here; and it is bound, since
// libc knows the kernel thread. Libraries that skeincc did not compile are not to be left in the middle, since
// another thread may enter them on the same kernel thread: there the worker waits, and says so if the holder is one of
// its own (c_lock_stands).
//
// Rejected: to refuse a move because of a mutex's own state (libc notes the kernel thread, and most kinds not even
// that); to yield until the lock is free (a deadlock would never be found, and a lone waiter burns its core).
#ifndef SKEIN_SYNC_C_LOCKS_H
#define SKEIN_SYNC_C_LOCKS_H

#include "sync/waits.h"
#include "thread/holds.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

/// A kind of wait here.
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

void c_wait_left(Thread *thread, Woken &woken);
void c_wait_describe(const Thread &thread, char *to, size_t bytes);

constexpr CWaitKind c_wait_kind(const char *call, const char *what) {
  CWaitKind kind{};
  kind.call = call;
  kind.left = c_wait_left;
  kind.describe = c_wait_describe;
  kind.c_library = true;
  kind.what = what;
  return kind;
}

/// Waits; the result of the attempt, or ETIMEDOUT; after a wait that is not attempted again, 0.
int c_wait(Thread *self, CWait &wait);

/// Somebody gave the lock back, or signalled the condition.
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
inline void c_wake(const void *object, bool all) {
  if (__builtin_expect(c_waiters_of(object).count.load(std::memory_order_relaxed) != 0, 0))
    c_wake_slow(object, all);
}

/// A hold that only this worker can end: the thread stays on it as long as it has one.
inline void c_lock_bind(Thread *self) {
  self->holds.binds++;
  if (!self->bound)
    self->bound = self->holds.bound = true;
}
inline void c_lock_unbind(Thread *self) {
  if (self->holds.binds && --self->holds.binds == 0 && self->holds.bound)
    self->bound = self->holds.bound = false;
}

/// Whether another Skein thread of this node than `self` holds it; null: whether any does. No lock held.
bool c_lock_held(const void *object, const Thread *self);

/// Who runs, unless the runtime itself, or what it calls, does so on the worker's own stack.
inline Thread *c_caller() {
  constexpr size_t runtime_most = 128 << 10; // of a worker's own stack
  const Processor *processor = skein_processor;
  if (!processor || !processor->current)
    return nullptr;
  const auto top = reinterpret_cast<uintptr_t>(processor->stack_top);
  return top - reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < runtime_most ? nullptr : processor->current;
}

/// Whether code that skeincc compiled called, which may be left for another thread; or the C++ library's, for a
/// condition.
bool c_lock_may_block(const void *place, bool condition);
/// The worker is about to wait for a lock, called for by a library. Says so if a thread holds it that does not run.
void c_lock_stands(const Thread *self, const void *object, const CWaitKind &kind, const void *place);
/// A thread asks for a lock that it holds already, and that it will not get a second time.
void c_lock_own(const Thread *self, const void *object, const CWaitKind &kind, const void *place);

/// Part of join_start's handler of events.forked.
void c_locks_after_fork();

} // namespace skein

#endif
