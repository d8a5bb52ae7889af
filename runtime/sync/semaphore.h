// The core of a counting semaphore: its count and who waits, on the node where it lives. Room dsm makes handles of it
// that work on every node.
//
// A waiter is a WaitRecord: `thread->wait` of a local thread (semaphore_wait_call below shows how), or a record of
// dsm's that stands for a waiter elsewhere and answers it when granted. First come, first served, local or not.
#ifndef SKEIN_SYNC_SEMAPHORE_H
#define SKEIN_SYNC_SEMAPHORE_H

#include "base/lock.h"
#include "sched/sched.h"

namespace skein {

class Semaphore {
public:
  explicit Semaphore(uint64_t count) : count_(count) {}

  /// Take one of the count now (true), or queue the record for later (false): record->granted(record, SKEIN_OK) is
  /// called when its turn comes, maybe before this returns.
  bool wait(WaitRecord *record);
  /// Grant the first waiter, or add to the count.
  void signal();
  /// Take a waiter back (its node died). False: it is granted already.
  bool withdraw(WaitRecord *record);
  /// Grant everybody with `result`, an error code, in order.
  void close(uint64_t result);
  uint64_t count() const { return count_; }

private:
  SpinLock lock_{Rank::semaphore};
  uint64_t count_;
  List<WaitRecord> waiters_;
};

/// For an implementation of a stub: `self` waits here; returns the thread to resume. skein_semaphore_wait returns 0.
Thread *semaphore_wait_local(Semaphore &semaphore, Thread *self);

} // namespace skein

#endif
