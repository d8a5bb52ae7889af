// A count of operations under way that lets a thread wait for all that began before it came, and not for those that
// began since. So each operation belongs to an epoch.
//
//     epoch   settled+1 ... current-1      current
//             operations end               operations begin and end
//
// A wait closes the current epoch, and is over when that epoch and all before it have no operations left. There are at
// most 64 open epochs; if all are in use, several waits share one.
#ifndef SKEIN_DSM_LEDGER_H
#define SKEIN_DSM_LEDGER_H

#include "base/lock.h"
#include "base/log.h"
#include "sched/sched.h"

#include <cstdint>
#include <cstdlib>

namespace skein {

class Ledger {
public:
  /// An operation begins. Returns its epoch, which `end` needs.
  uint64_t begin() {
    Guard guard(lock_);
    counts_[current_ % epochs]++;
    return current_;
  }

  /// One more operation counts in an epoch in which one is under way.
  void join(uint64_t epoch) {
    Guard guard(lock_);
    counts_[epoch % epochs]++;
  }

  void end(uint64_t epoch) {
    Waiter *done = nullptr;
    {
      Guard guard(lock_);
      counts_[epoch % epochs]--;
      settle();
      done = take_settled();
    }
    wake(done);
  }

  /// True: all operations that began before have ended. False: done(context) is called when they have, perhaps before
  /// this returns.
  bool wait(void (*done)(void *), void *context) {
    Guard guard(lock_);
    const uint64_t wanted = close();
    if (settled_ >= wanted)
      return true;
    auto *waiter = static_cast<Waiter *>(malloc(sizeof(Waiter)));
    if (!waiter)
      fatal("out of memory for a thread that waits for its copies");
    *waiter = {waiters_, done, context, wanted};
    last_wanted_ = wanted;
    waiters_ = waiter;
    return false;
  }

  /// The same for a blocked thread, which is woken with 0.
  bool wait(Thread *thread) {
    return wait([](void *context) { thread_wake(static_cast<Thread *>(context), 0); }, thread);
  }

private:
  static constexpr uint64_t epochs = 64;
  struct Waiter {
    Waiter *next;
    void (*done)(void *);
    void *context;
    uint64_t wanted;
  };

  uint64_t close() {
    const uint64_t closed = current_;
    if (current_ - settled_ < epochs - 1)
      current_++;
    settle();
    return closed;
  }
  void settle() {
    while (settled_ + 1 < current_ && counts_[(settled_ + 1) % epochs] == 0)
      settled_++;
    if (last_wanted_ < current_ || current_ - settled_ >= epochs - 1)
      return;
    current_++; // the wait that found no free epoch can close this one now
    settle();
  }
  Waiter *take_settled() {
    Waiter *done = nullptr;
    for (Waiter **at = &waiters_; *at;) {
      Waiter *waiter = *at;
      if (waiter->wanted > settled_) {
        at = &waiter->next;
        continue;
      }
      *at = waiter->next;
      waiter->next = done;
      done = waiter;
    }
    return done;
  }
  static void wake(Waiter *done) {
    while (done) {
      Waiter *next = done->next;
      done->done(done->context);
      free(done);
      done = next;
    }
  }

  SpinLock lock_{Rank::ledger};
  uint64_t counts_[epochs] = {};
  uint64_t current_ = 1, settled_ = 0, last_wanted_ = 0;
  Waiter *waiters_ = nullptr;
};

} // namespace skein

#endif
