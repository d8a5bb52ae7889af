// Operations under way, in epochs, so that somebody can wait for all that began before he came, and not for those that
// began since.
//
//     epoch   settled+1 … current-1        current
//             ended, or waited for         where what begins now counts
//
// A wait closes the current epoch and waits until it and all before it have come to nothing. There are at most 64 open
// epochs; then waits share one.
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
  /// An operation begins; its epoch, for `end`.
  uint64_t begin() {
    Guard guard(lock_);
    counts_[current_ % epochs]++;
    return current_;
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

  /// True: all that began before has ended. False: `thread`, which is blocked, is woken with 0 when it has, perhaps
  /// before this returns.
  bool wait(Thread *thread) {
    Guard guard(lock_);
    const uint64_t wanted = close();
    if (settled_ >= wanted)
      return true;
    auto *waiter = static_cast<Waiter *>(malloc(sizeof(Waiter)));
    if (!waiter)
      fatal("out of memory for a thread that waits for its copies");
    *waiter = {waiters_, thread, wanted};
    last_wanted_ = wanted;
    waiters_ = waiter;
    return false;
  }

  /// Everything up to this epoch has ended.
  uint64_t settled() {
    Guard guard(lock_);
    settle();
    return settled_;
  }
  /// The epoch in which operations begin now, which nothing will join from here on (if an epoch is left).
  uint64_t close_epoch() {
    Guard guard(lock_);
    return close();
  }
  uint64_t current() {
    Guard guard(lock_);
    return current_;
  }

private:
  static constexpr uint64_t epochs = 64;
  struct Waiter {
    Waiter *next;
    Thread *thread;
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
    current_++; // who could not close his epoch can now
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
      thread_wake(done->thread, 0);
      free(done);
      done = next;
    }
  }

  SpinLock lock_{Rank::dsm};
  uint64_t counts_[epochs] = {};
  uint64_t current_ = 1, settled_ = 0, last_wanted_ = 0;
  Waiter *waiters_ = nullptr;
};

} // namespace skein

#endif
