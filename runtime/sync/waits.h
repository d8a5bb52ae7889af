// A thread that waits for an object must not stop its worker, and may be woken, timed out and cancelled at the same
// time by others. This file has what all kinds of objects share for that.
//
// An object (<skein/sync.h>) is a few words of the program's memory: first the *ring* of the threads that wait for it,
// then its state. The quick ways are leaf functions that change the state with one instruction (quick_locks.h).
// Whatever touches the ring is done by the implementation of a stub, on the worker's stack, under the lock of the
// object's *bucket*, an entry of a table in the runtime that is found by the object's address. So an object needs no
// lock of its own, and nobody touches its memory after it has released a thread that may free it.
//
//     waiter                                             waker
//     lock the bucket                                    lock the bucket
//     state says "wait": note in it that somebody does   take the first out of the ring, change the state for it
//     wait_begin                                         unlock
//     unlock, return wait_next()                         wait_end(thread, result)
//
// A wait can be ended from outside, at its deadline (sched/timers.h) or by skein_cancel: wait_withdraw takes the thread
// out of the ring, if it still is there, and the kind repairs the object's state. The code that takes a thread out of
// the ring, under the bucket's lock, must wake it, and no other may do so.
//
// Rejected: a lock in the object, because a late timer would have to lock an object that may be gone; rings in the
// table instead of the objects, because a barrier with 10,000 waiters would slow down all that share its bucket.
#ifndef SKEIN_SYNC_WAITS_H
#define SKEIN_SYNC_WAITS_H

#include "arch/x86_64/switch.h"
#include "base/lock.h"
#include "os/linux/futex.h"
#include "sched/sched.h"
#include "thread/parked.h"

#include <cstdint>

namespace skein {

/// The threads that wait for an object, in order, linked by wait.record. There is no head: an empty ring is a null
/// pointer, so memory that is zero is an object nobody waits for. Used under the bucket's lock.
class Ring {
public:
  bool empty() const { return !first_; }
  Thread *first() const { return first_ ? waiter_of(first_) : nullptr; }
  void push_back(Thread *thread);
  void remove(Thread *thread);
  uint64_t count() const;
  /// Takes the first thread out, which the caller wakes: its wait.object is null from here on.
  Thread *pop_front();
  /// The same for a ring in which threads may be parked (WaitKind::parks). Null: nobody waits.
  WaitRecord *pop();
  /// Takes any thread out in the same way.
  void take(Thread *thread);
  /// The thread whose record is in the ring is parked there, or the other way round.
  void replace(WaitRecord *record, WaitRecord *by);
  /// Appends all of `other`, which is empty then.
  void take_all(Ring &other);
  /// The thread behind that one; null at the end.
  Thread *after(const Thread *thread) const;

private:
  static Thread *waiter_of(WaitRecord *record) {
    SKEIN_ASSERT(!record->parked, "a parked thread in a ring in which none may be");
    return thread_of(record);
  }
  void remove(WaitRecord *record);
  /// An atomic store, since the quick ways look without the lock whether anybody waits.
  void set_first(WaitRecord *record) { __atomic_store_n(&first_, record, __ATOMIC_RELEASE); }
  WaitRecord *first_ = nullptr;
};
static_assert(sizeof(Ring) == sizeof(void *));

/// Threads that were taken out of rings and are to be woken, in order.
using Woken = List<WaitRecord>;

/// What a deadline, a cancel or a report has to know of a wait.
struct WaitKind {
  const char *call; // "skein_mutex_lock"
  /// Called under the bucket's lock when the thread was withdrawn from the ring: repairs the object's state, and adds
  /// threads that can go on because of that to `woken`. Null: nothing to do.
  void (*withdrawn)(Thread *thread, Woken &woken) = nullptr;
  /// How a thread that was taken out goes on with `result`. Null: it is woken.
  void (*go_on)(Thread *thread, uint64_t result) = nullptr;
  /// Called without a lock for a thread that was withdrawn because it is to leave for another node: what this leaves as
  /// the thread's result is what the call returns there. Null: a thread that waits here does not leave.
  void (*moved)(Thread *thread) = nullptr;
  /// "the mutex `m`, which thread 3 holds, …", for reports when nothing runs any more.
  void (*describe)(const Thread &thread, char *to, size_t bytes) = nullptr;
  /// The thread may be parked (thread/parked.h): what wakes it uses only Ring::pop, wait_detail_place, wait_end_all and
  /// wait_go_on_all, and nobody else keeps a pointer to its record, or to memory on its stack; wait_detail may be one.
  bool parks = false;
  /// A function of the C library waits: it has no error text, and skein_cancel does not end it.
  bool c_library = false;
};

/// The memory to which the detail of a wait leads, of a thread that was taken out of its ring; null if it is 0.
inline uint64_t *wait_detail_place(WaitRecord *record) {
  return reinterpret_cast<uint64_t *>(record->parked ? parked_detail_place(*static_cast<ParkedThread *>(record))
                                                     : thread_of(record)->wait_detail);
}

/// The lock of an object's ring.
SpinLock &bucket_of(const void *object);

/// Under the bucket's lock: `self` goes to the end of the object's ring. That is the last thing an implementation does
/// to it, since another worker may run it as soon as the lock is free. `deadline_ns` is one of clock_ns(), or
/// `forever`.
void wait_begin(Thread *self, const WaitKind &kind, void *object, uint64_t deadline_ns);
/// An implementation that blocks where skein_cancel may end the thread calls wait_point under the lock (wait_begin
/// does) and returns wait_next() without it.
void wait_point(Thread *self);
Thread *wait_next();

/// Under the bucket's lock: a thread that was taken out of the ring, and not woken, waits in it again. Its timer does
/// not run. Returns its id if it has been cancelled meanwhile: then the caller gives that to cancel_blocked (ending.h)
/// without the lock. Otherwise 0.
uint64_t wait_again(Thread *thread, const WaitKind &kind, void *object, uint64_t deadline_ns);

/// Called without a lock: a thread that was taken out of its ring goes on; the call it waits in returns `result`. Its
/// error text stays unless that is SKEIN_OK.
void wait_end(Thread *thread, uint64_t result);
/// The same for many, which may be parked.
void wait_end_all(Woken &woken, uint64_t result);
/// As wait_end_all, for a kind that has `go_on`.
void wait_go_on_all(Woken &woken, uint64_t result);

/// Set by room migrate if threads are to be parked (migrate/parking.h); else null. A thread begins a wait in which it
/// may be; called under the bucket's lock.
extern void (*parking_watches)(Thread *self);
/// True on this kernel thread: it is to call `parking_parks`, without a lock.
extern __thread bool parking_due;
extern void (*parking_parks)();
/// Called without a lock for parked threads that were taken out of a ring: each is given a record and a stack, now or
/// as soon as there is room, and then goes on as its kind does, with SKEIN_OK.
extern void (*parking_wakes)(Woken &parked);

/// Takes a thread out of the ring of what it waits for, if its wait may be ended for that purpose. True: the thread is
/// blocked in no ring, and belongs to the caller, who lets it go on with wait_give_up.
enum class Purpose : uint8_t { deadline, cancel, move };
bool wait_withdraw(Thread *thread, Purpose purpose = Purpose::deadline);
/// Lets it go on as its kind does.
void wait_give_up(Thread *thread, uint64_t result);

/// Takes a thread that waits here, and may leave, out of its wait: it is in flight, belongs to the caller, and asks
/// again when it goes on, wherever that is. Null: it is in no such wait here.
Thread *wait_take_away(uint64_t id);

inline uint64_t deadline_in(uint64_t most_ns) {
  const uint64_t now = most_ns == forever ? 0 : clock_ns();
  return most_ns >= forever - now ? forever : now + most_ns;
}

/// How long it still is until then; `forever` stays that.
inline uint64_t time_left(uint64_t deadline_ns) {
  if (deadline_ns == forever)
    return forever;
  const uint64_t now = clock_ns();
  return deadline_ns > now ? deadline_ns - now : 0;
}

/// The return address of the call in which a thread is suspended.
const void *place_of(const Thread *thread);

/// As `answer`, for a call that succeeded: the error text of an earlier one does not stay.
inline Thread *succeed(Thread *self) {
  thread_error_clear(self);
  return answer(self, SKEIN_OK);
}

/// Whether `self` may block in `object`: SKEIN_OK, or an error that says why not. Called without a lock.
int wait_allowed(Thread *self, const char *call, const char *what, const void *object);

/// Takes what `self` asks the object for, or lets it wait. `take` is called under the bucket's lock, and takes it, or
/// notes in the object that a thread waits. False: the implementation returns `self`, which runs next.
template <class Take>
bool take_or_wait(Thread *&self, const WaitKind &kind, const char *what, void *object, uint64_t most_ns, Take &&take) {
  if (int code = wait_allowed(self, kind.call, what, object)) {
    answer(self, code);
    return false;
  }
  const uint64_t deadline_ns = deadline_in(most_ns);
  {
    Guard guard(bucket_of(object));
    if (take())
      return true;
    wait_begin(self, kind, object, deadline_ns);
  }
  self = wait_next();
  return false;
}

/// Whether nobody waits in the ring of an object that `call` is to destroy: SKEIN_OK, or SKEIN_EBUSY, said to `self`.
int unwaited(Thread *self, const char *call, const char *what, const void *object, const Ring &ring);

/// Part of join_start.
void waits_start();
/// Part of its handler of events.forked.
void waits_after_fork();

} // namespace skein

#endif
