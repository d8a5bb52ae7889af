// The part of the table that the room thread and quick ways use (sched/quick.h); thread.h has the rest.
#ifndef SKEIN_THREAD_TABLE_H
#define SKEIN_THREAD_TABLE_H

#include "base/biased_lock.h"
#include "thread/parked.h"
#include "thread/thread.h"

#include <atomic>
#include <cstdint>

namespace skein {

struct alignas(64) TableLock {
  BiasedLock lock{Rank::thread_table};
};

/// Set once, by thread_table_start.
struct ThreadTable {
  static constexpr size_t chain_count = 1 << 20;
  static constexpr uint64_t block = 64; // of numbers, and of chains
  static constexpr uint32_t locks_of_worker = 8;
  static constexpr uint32_t owners_most = thread_locks / locks_of_worker; // workers beyond share locks with others
  static_assert(chain_count % (block * thread_locks) == 0, "a chain would have several locks");

  // There may be many more parked threads than others, so theirs are as many times more chains.
  static constexpr size_t parked_chains = 8;

  Thread **chains = nullptr;
  ParkedThread **parked = nullptr; // chain_count * parked_chains; null where no thread is parked
  uint32_t owners = 1;             // the number of workers to which blocks are dealt out: a power of two
};
extern ThreadTable thread_table;
/// thread_table_start makes those that are used, so that a program's file has not to hold all of them.
extern union ThreadTableLocks {
  constexpr ThreadTableLocks() : none() {}
  char none;
  TableLock all[thread_locks];
} thread_table_locks;

/// Where the thread of an id is in the table, if it is.
struct ThreadPlace {
  Thread *&chain;
  size_t lock_number;

  BiasedLock &lock() const { return thread_table_locks.all[lock_number].lock; }
};
inline ThreadPlace thread_place_of_chain(size_t chain) {
  return {thread_table.chains[chain],
          chain / ThreadTable::block & (thread_table.owners * ThreadTable::locks_of_worker - 1)};
}
/// Nodes start at different places, else the first threads of all nodes would share chains.
inline uint64_t thread_number_spread(uint64_t id) {
  constexpr uint64_t apart = ThreadTable::block * thread_locks;
  return id + static_cast<uint64_t>(thread_id_node(id)) * 7 * apart;
}
inline ThreadPlace thread_place(uint64_t id) {
  return thread_place_of_chain(thread_number_spread(id) % ThreadTable::chain_count);
}

// To be called under the lock of the place.
/// Null if it is not here.
inline Thread *thread_find(const ThreadPlace &place, uint64_t id) {
  Thread *thread = place.chain;
  while (thread && thread->id != id)
    thread = thread->table_next;
  return thread;
}
inline void thread_enter(const ThreadPlace &place, Thread *thread) {
  thread->table_next = place.chain;
  place.chain = thread;
  thread->listed = true;
}
[[gnu::always_inline]] inline void thread_leave(const ThreadPlace &place, Thread *thread) {
  Thread **at = &place.chain;
  while (*at && *at != thread)
    at = &(*at)->table_next;
  SKEIN_ASSERT(*at, "thread %llu is not in the table", static_cast<unsigned long long>(thread->id));
  *at = thread->table_next;
  thread->table_next = nullptr;
  thread->listed = false;
}

inline ParkedThread *&parked_chain(uint64_t id) {
  return thread_table.parked[thread_number_spread(id) % (ThreadTable::chain_count * ThreadTable::parked_chains)];
}
/// Null if it is not parked here.
inline ParkedThread *parked_find(uint64_t id) {
  if (__builtin_expect(!thread_table.parked, 1))
    return nullptr;
  ParkedThread *parked = parked_chain(id);
  while (parked && parked->id != id)
    parked = parked->table_next;
  return parked;
}
/// The thread goes from one table to the other.
void parked_enter(const ThreadPlace &place, ParkedThread *parked, Thread *thread);
void parked_leave(const ThreadPlace &place, ParkedThread *parked, Thread *thread);
/// Called once, before the first thread is parked. False: there is no address space.
bool parked_table_start();

/// Makes the table for so many workers. Idempotent; called before the first thread.
void thread_table_start(uint32_t workers);
/// This kernel thread's: from here on it owns the locks of what it makes. Called before its first thread.
void thread_table_adopt(const Processor &processor);
void thread_list(Thread *thread);
/// Lists a thread under the next id of this node; it is not counted yet (Tally::begun).
void thread_list_new(Thread *thread);
/// Lists a thread and calls `first` under the lock. False, and nothing has happened: there is one of the same id.
bool thread_list_unless_here(Thread *thread, void (*first)(Thread *thread));
/// In the child of a fork: this one is the only thread.
void thread_table_after_fork(Thread *self);

} // namespace skein

#endif
