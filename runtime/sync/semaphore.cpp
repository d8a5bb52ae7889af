// Counting semaphores; see semaphore.h.
#include "sync/semaphore.h"

namespace skein {

bool Semaphore::wait(WaitRecord *record) {
  Guard guard(lock_);
  if (count_) {
    count_--;
    return true;
  }
  waiters_.push_back(record);
  return false;
}

void Semaphore::signal() {
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

bool Semaphore::withdraw(WaitRecord *record) {
  Guard guard(lock_);
  if (!record->linked())
    return false;
  waiters_.remove(record);
  return true;
}

void Semaphore::close(uint64_t result) {
  List<WaitRecord> all;
  {
    Guard guard(lock_);
    all.take_all(waiters_);
  }
  while (WaitRecord *record = all.pop_front())
    record->granted(record, result);
}

namespace {

void grant_local(WaitRecord *record, uint64_t result) { thread_wake(thread_of(record), result); }

} // namespace

Thread *semaphore_wait_local(Semaphore &semaphore, Thread *self) {
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
