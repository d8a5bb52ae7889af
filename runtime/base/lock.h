// Spin locks, with ranks.
//
// Held for a few dozen instructions at most, never over a system call that can block and never over a switch. A waiter
// spins a little, then gives the core away (`sched_yield`), since on a crowded machine the holder may not be running.
// A futex mutex was rejected: its uncontended path costs the same, and nothing here is held long enough to sleep.
//
// A kernel thread that is alone (alone.h) takes a lock without a locked instruction; releasing is an ordinary store for
// all.
//
// A kernel thread may take a lock only if its rank is greater than that of every lock it holds. Debug builds check it.
// The enumeration below is the whole lock graph; a new lock gets a line there.
#ifndef SKEIN_BASE_LOCK_H
#define SKEIN_BASE_LOCK_H

#include "base/alone.h"
#include "base/assert.h"

#include <atomic>
#include <cstdint>

namespace skein {

/// The outermost lock comes first.
enum class Rank : uint8_t {
  net = 10,          // net's own tables
  dsm = 20,          // dsm's own tables
  ranges = 22,       // dsm/ranges: which ranges all nodes know; inside the lock that maps a slice
  cache = 24,        // dsm/cache: copies of shared memory
  ledger = 26,       // dsm/ledger: what is under way
  migrate = 30,      // moves under way
  bundle = 35,       // sched/bundle: one bundle's events change
  thread_table = 60, // thread/table: one shard, and the threads that wait there in skein_join
  limits = 62,       // sched/limits: threads that wait to spawn into a bundle
  sync = 64,         // sync/waits: a bucket of threads that wait for objects
  bundle_table = 65, // sched/bundle_table: which bundles there are
  timers = 66,       // sched/timers
  queue = 70,        // sched/bundles: ready threads
  stack_pool = 80,   // thread/stack: free slots
  thread_pool = 81,  // thread/thread: free Thread records
  regions = 82,      // private/regions/regions: free addresses
  leaf = 90,         // holds no other lock
};

#ifndef NDEBUG
void lock_rank_push(Rank rank, const void *lock);
void lock_rank_pop(Rank rank, const void *lock);
#else
inline void lock_rank_push(Rank, const void *) {}
inline void lock_rank_pop(Rank, const void *) {}
#endif

void lock_wait_step(unsigned &round);

class SpinLock {
public:
  explicit constexpr SpinLock(Rank rank) : rank_(rank) {}
  SpinLock(const SpinLock &) = delete;
  SpinLock &operator=(const SpinLock &) = delete;

  void lock() {
    lock_rank_push(rank_, this);
    if (take_alone())
      return;
    // acquire: pairs with the release in unlock.
    for (unsigned round = 0; __builtin_expect(taken_.exchange(true, std::memory_order_acquire), 0);)
      while (taken_.load(std::memory_order_relaxed))
        lock_wait_step(round);
  }
  bool try_lock() {
    if (taken_.load(std::memory_order_relaxed) || (!take_alone() && taken_.exchange(true, std::memory_order_acquire)))
      return false;
    lock_rank_push(rank_, this);
    return true;
  }
  void unlock() {
    lock_rank_pop(rank_, this);
    taken_.store(false, std::memory_order_release); // pairs with the acquire in lock
  }

private:
  /// Takes the lock if it is free; called by the kernel thread that is alone.
  bool take_alone() {
    if (!alone_enter())
      return false;
    const bool free = !taken_.load(std::memory_order_relaxed);
    if (free)
      taken_.store(true, std::memory_order_relaxed);
    alone_leave();
    return free;
  }
  std::atomic<bool> taken_{false};
  Rank rank_;
};

/// Holds a lock for a scope.
template <class Lock> class [[nodiscard]] Guard {
public:
  explicit Guard(Lock &lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

private:
  Lock &lock_;
};

} // namespace skein

#endif
