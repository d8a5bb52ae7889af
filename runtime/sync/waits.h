// Waiting for an object of this node, and being woken; what all kinds of objects have in common.
//
// An object (<skein/sync.h>) is a few words of the program's memory: first the *ring* of the threads that wait for it,
// then its state. The quick ways are leaf functions that change the state with one instruction (quick.h); whatever has
// to do with the ring is done by the implementation of a stub, on the worker's stack, under the lock of the object's
// *bucket*: a table in the runtime, by the object's address. So an object needs no lock of its own, and nobody touches
// its memory after it has let somebody go who may free it.
//
//     waiter                                             waker
//     lock the bucket                                    lock the bucket
//     state says "wait": note in it that somebody does   take the first out of the ring, change the state for it
//     wait_begin                                         unlock
//     unlock, return wait_next()                         wait_end(thread, result)
//
// A wait can be given up from outside, at its deadline (sched/timers.h) or by skein_cancel: wait_withdraw takes the
// thread out of the ring, if it still is there, and the kind repairs the object's state. Who takes a thread out of the
// ring, under the bucket's lock, wakes it; nobody else does.
//
// Rejected: a lock in the object (a timer that is late would have to lock an object that may be gone); the queues in
// the table, by address (a barrier with 10,000 waiters would slow down whoever shares its bucket).
#ifndef SKEIN_SYNC_WAITS_H
#define SKEIN_SYNC_WAITS_H

#include "arch/x86_64/switch.h"
#include "base/lock.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <cstdint>

namespace skein {

/// Waiters in order, linked by wait.record into a ring without a head: an empty one is a null pointer, so that memory
/// that is zero is an object. Under the bucket's lock.
class Ring {
public:
  bool empty() const { return !first_; }
  Thread *first() const { return first_ ? thread_of(first_) : nullptr; }
  void push_back(Thread *thread);
  void remove(Thread *thread);
  uint64_t count() const;
  /// The first, for whoever wakes it: its wait.object is null from here on.
  Thread *pop_front();
  /// The same of any.
  void take(Thread *thread);
  /// All of `other`, at the end; it is empty then.
  void take_all(Ring &other);
  /// One after the other; null at the end.
  Thread *after(const Thread *thread) const;

private:
  /// Quick ways look, without the lock, whether anybody waits.
  void set_first(WaitRecord *record) { __atomic_store_n(&first_, record, __ATOMIC_RELEASE); }
  WaitRecord *first_ = nullptr;
};
static_assert(sizeof(Ring) == sizeof(void *));

/// Threads that were taken out of rings and are to be woken, in order.
using Woken = List<WaitRecord>;

/// A kind of wait, for what happens to it from outside.
struct WaitKind {
  const char *call; // "skein_mutex_lock"
  /// The thread is no longer in the ring of its object; under the bucket's lock. Threads that can go on because of
  /// that are added to `woken`. Null: nothing to do.
  void (*left)(Thread *thread, Woken &woken) = nullptr;
  /// How a thread that was taken out goes on with `result`. Null: it is woken.
  void (*go_on)(Thread *thread, uint64_t result) = nullptr;
  /// "the mutex `m`, which thread 3 holds, …", for reports when nothing runs any more.
  void (*describe)(const Thread &thread, char *to, size_t bytes) = nullptr;
  /// A function of the C library waits: it has no error text, and is no point of skein_cancel.
  bool c_library = false;
};

/// The lock of an object's ring.
SpinLock &bucket_of(const void *object);

/// Under the bucket's lock: `self` goes to the end of the object's ring. Not before its state demands it: from the
/// unlock on another worker may run the thread. `deadline_ns` is one of clock_ns(), or `forever`.
void wait_begin(Thread *self, const WaitKind &kind, void *object, uint64_t deadline_ns);
/// For the end of an implementation that has called wait_begin, or another that blocks at a point of skein_cancel:
/// wait_point under the lock, wait_next without.
void wait_point(Thread *self);
Thread *wait_next();

/// No lock held: a thread that was taken out of its ring goes on; the call it waits in returns `result`. The error text
/// stays unless that is SKEIN_OK.
void wait_end(Thread *thread, uint64_t result);
/// The same for many.
void wait_end_all(Woken &woken, uint64_t result);

/// Take a thread out of what it waits in, if it is in a wait of ours, and, to cancel it, in one that may be cancelled.
/// True: it is blocked in no ring, and the caller's.
bool wait_withdraw(Thread *thread, bool cancels = false);
/// It goes on after that.
void wait_give_up(Thread *thread, uint64_t result);

inline uint64_t deadline_in(uint64_t most_ns) {
  const uint64_t now = most_ns == forever ? 0 : clock_ns();
  return most_ns >= forever - now ? forever : now + most_ns;
}

/// The return address of the call in which a thread is suspended.
const void *place_of(const Thread *thread);

/// For the end of an implementation: `self` goes on with `code`.
inline Thread *answer(Thread *self, int code) {
  self->result = static_cast<uint64_t>(static_cast<int64_t>(code));
  return self;
}

/// Whether `self` may block in `object`: SKEIN_OK, or an error that says why not. Without a lock.
int wait_allowed(Thread *self, const char *call, const char *what, const void *object);

/// Whether nobody waits in the ring of an object that `call` is to destroy: SKEIN_OK, or SKEIN_EBUSY, said to `self`.
int unwaited(Thread *self, const char *call, const char *what, const void *object, const Ring &ring);

/// Part of join_start.
void waits_start();
/// Part of its handler of events.forked.
void waits_after_fork();

} // namespace skein

#endif
