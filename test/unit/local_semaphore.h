// A semaphore of this process, for tests of the scheduler: a core that shows how threads wait and are woken
// (thread_block, thread_wake, WaitRecord), and a stub around it (test_semaphore_wait, in a .S file of the program that
// includes this once).
#ifndef TEST_UNIT_LOCAL_SEMAPHORE_H
#define TEST_UNIT_LOCAL_SEMAPHORE_H

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
  SpinLock lock_{Rank::leaf};
  uint64_t count_;
  List<WaitRecord> waiters_;
};

inline bool Semaphore::wait(WaitRecord *record) {
  Guard guard(lock_);
  if (count_) {
    count_--;
    return true;
  }
  waiters_.push_back(record);
  return false;
}

inline void Semaphore::signal() {
  WaitRecord *record;
  {
    Guard guard(lock_);
    record = waiters_.pop_front();
    if (!record)
      count_++;
  }
  if (record)
    record->granted(record, 0);
}

inline bool Semaphore::withdraw(WaitRecord *record) {
  Guard guard(lock_);
  if (!record->linked())
    return false;
  waiters_.remove(record);
  return true;
}

inline void Semaphore::close(uint64_t result) {
  List<WaitRecord> all;
  {
    Guard guard(lock_);
    all.take_all(waiters_);
  }
  while (WaitRecord *record = all.pop_front())
    record->granted(record, result);
}

inline void grant_local(WaitRecord *record, uint64_t result) { thread_wake(thread_of(record), result); }

inline Thread *semaphore_wait_local(Semaphore &semaphore, Thread *self) {
  self->wait.granted = grant_local;
  thread_block(self, "skein_semaphore_wait", &semaphore);
  if (!semaphore.wait(&self->wait))
    return thread_next();
  // Nobody else knows of it: it goes on at once.
  self->wait_reason = nullptr;
  self->wait_object = nullptr;
  self->state.store(ThreadState::running, std::memory_order_relaxed);
  self->result = 0;
  return self;
}

} // namespace skein

extern "C" {
int test_semaphore_wait(skein::Semaphore *semaphore);
skein::Thread *test_semaphore_wait_call(skein::Thread *self, uint64_t semaphore) {
  return skein::semaphore_wait_local(*reinterpret_cast<skein::Semaphore *>(semaphore), self);
}
}

#endif
