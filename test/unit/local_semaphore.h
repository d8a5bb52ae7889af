// Tests of the scheduler need something for threads to wait for. This is a semaphore of the process: a core that shows
// how threads wait and are woken (thread_block, thread_wake, WaitRecord), and a stub around it (test_semaphore_wait, in
// a .S file of the program that includes this once).
#ifndef TEST_UNIT_LOCAL_SEMAPHORE_H
#define TEST_UNIT_LOCAL_SEMAPHORE_H

#include "base/lock.h"
#include "sched/sched.h"

namespace skein {

class Semaphore {
public:
  explicit Semaphore(uint64_t count) : count_(count) {}

  /// Takes one of the count now and returns true, or queues the thread and returns false. The thread is woken when its
  /// turn comes, perhaps before this returns.
  bool wait(Thread *thread);
  /// Wakes the first waiter, or adds to the count.
  void signal();

private:
  SpinLock lock_{Rank::leaf};
  uint64_t count_;
  List<WaitRecord> waiters_;
};

inline bool Semaphore::wait(Thread *thread) {
  Guard guard(lock_);
  if (count_) {
    count_--;
    return true;
  }
  waiters_.push_back(&thread->wait.record);
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
    thread_wake(thread_of(record), 0);
}

inline Thread *semaphore_wait_local(Semaphore &semaphore, Thread *self) {
  thread_block(self, "skein_semaphore_wait", &semaphore);
  if (!semaphore.wait(self))
    return thread_next();
  // No other thread knows of it yet, so it goes on at once.
  self->wait.reason = nullptr;
  self->wait.object = nullptr;
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
