// Spin locks that one kernel thread takes most of the time: the *owner* of what the lock guards. It needs four ordinary
// instructions. Any other kernel thread takes the lock away from it, at the price of a system call (uneven_barrier.h).
// From then on it is an ordinary spin lock for all, until the owner has taken it `quiet_turns` times in a row.
//
//     the owner                                 others
//     inside = true                             lock `taken`
//     light barrier                             biased = false
//     read biased: true, it has the lock        heavy barrier
//     …                                         wait until inside is false
//     inside = false                            …
//
// Because of the barriers either the owner sees that the lock is biased no more, and takes it as all others do, or the
// others see that it is inside. An owner that knows that another kernel thread is about to want the lock shares it
// itself, which takes no system call. Rejected: to take the lock away each time (threads of a microsecond that one
// worker makes and another takes would need a system call each).
#ifndef SKEIN_BASE_BIASED_LOCK_H
#define SKEIN_BASE_BIASED_LOCK_H

#include "base/lock.h"

namespace skein {

class BiasedLock {
public:
  explicit constexpr BiasedLock(Rank rank) : rank_(rank) {}
  BiasedLock(const BiasedLock &) = delete;
  BiasedLock &operator=(const BiasedLock &) = delete;

  /// Sets the owner from here on; a kernel thread names itself when it takes the lock. Not to be called by a holder.
  void set_owner(const void *owner);

  /// `who` is not null if the caller may be the owner. Returns what `unlock` needs.
  [[gnu::always_inline]] std::atomic<bool> &lock(const void *who) {
    lock_rank_push(rank_, this);
    if (__builtin_expect(owner_.load(std::memory_order_relaxed) == who, 1)) {
      inside_.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst); // partner: the heavy barrier in take_away
      if (__builtin_expect(biased_.load(std::memory_order_relaxed), 1))
        return inside_;
      return take_as_owner();
    }
    return take_away();
  }
  void unlock(std::atomic<bool> &held) {
    lock_rank_pop(rank_, this);
    held.store(false, std::memory_order_release); // pairs with the acquires in take and in take_away
  }
  /// The caller will store false there, with release, instead of calling unlock: when it has left the stack that it is
  /// on.
  std::atomic<bool> &unlock_later(std::atomic<bool> &held) {
    lock_rank_pop(rank_, this);
    return held;
  }

  /// Whether anybody but its owner has to take it away.
  bool is_biased() const { return biased_.load(std::memory_order_relaxed); }
  /// Makes it an ordinary lock until the owner has taken it `quiet_turns` times in a row; nothing, if `who` is not the
  /// owner. The caller does not hold it.
  void share(const void *who);

private:
  static constexpr uint32_t quiet_turns = 1024;
  static constexpr char nobody = 0;

  void take();
  // These keep the registers of their callers, which would otherwise save some of their own even if they do not call
  // them.
  [[gnu::noinline, gnu::cold]] __attribute__((preserve_most)) std::atomic<bool> &take_as_owner();
  [[gnu::noinline, gnu::cold]] __attribute__((preserve_most)) std::atomic<bool> &take_away();

  std::atomic<const void *> owner_{&nobody};
  std::atomic<bool> inside_{false}; // written by the owner only
  std::atomic<bool> biased_{false}; // set only if barriers are asymmetric
  std::atomic<bool> taken_{false};  // held by a kernel thread that does not hold it by its bias
  Rank rank_;
  uint32_t turns_ = 0; // how often the owner has taken it in a row; under `taken_`
};

/// Holds a biased lock for a scope.
class [[nodiscard]] BiasedGuard {
public:
  [[gnu::always_inline]] BiasedGuard(BiasedLock &lock, const void *who) : lock_(lock), held_(lock.lock(who)) {}
  [[gnu::always_inline]] ~BiasedGuard() { lock_.unlock(held_); }
  BiasedGuard(const BiasedGuard &) = delete;
  BiasedGuard &operator=(const BiasedGuard &) = delete;

private:
  BiasedLock &lock_;
  std::atomic<bool> &held_;
};

} // namespace skein

#endif
