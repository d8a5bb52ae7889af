// See biased_lock.h.
#include "base/biased_lock.h"

#include "base/uneven_barrier.h"

namespace skein {

void BiasedLock::take() {
  // acquire: pairs with the release in unlock.
  for (unsigned round = 0; taken_.exchange(true, std::memory_order_acquire);)
    while (taken_.load(std::memory_order_relaxed))
      lock_wait_step(round);
}

std::atomic<bool> &BiasedLock::take_as_owner() {
  inside_.store(false, std::memory_order_relaxed); // nothing was done inside
  take();
  if (!barrier_asymmetric || ++turns_ < quiet_turns)
    return taken_;
  turns_ = 0;
  inside_.store(true, std::memory_order_relaxed);
  biased_.store(true, std::memory_order_relaxed);
  taken_.store(false, std::memory_order_release); // the next holder sees that it is biased
  return inside_;
}

std::atomic<bool> &BiasedLock::take_away() {
  take();
  turns_ = 0;
  if (biased_.load(std::memory_order_relaxed)) {
    biased_.store(false, std::memory_order_relaxed);
    barrier_heavy();                                                   // partner: the light one in lock
    for (unsigned round = 0; inside_.load(std::memory_order_acquire);) // pairs with the release in unlock
      lock_wait_step(round);
  }
  return taken_;
}

void BiasedLock::share(const void *who) {
  if (owner_.load(std::memory_order_relaxed) != who || !is_biased())
    return;
  take();
  turns_ = 0;
  biased_.store(false, std::memory_order_relaxed);
  taken_.store(false, std::memory_order_release); // the next holder sees that it is not biased
}

void BiasedLock::set_owner(const void *owner) {
  std::atomic<bool> &held = lock(nullptr);
  owner_.store(owner, std::memory_order_relaxed);
  biased_.store(barrier_asymmetric, std::memory_order_relaxed);
  unlock(held);
}

} // namespace skein
