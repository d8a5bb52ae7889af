// The table of the threads on this node, by id.
//
// A fixed array of chains, mapped but touched only where it is used, so start-up pays nothing and it never grows. Ids
// of a node count upwards, so neighbours in time are neighbours in the array: spawning walks along cache lines. Chains
// stay short up to some million threads. Locks are striped over the chains.
#include "thread/table.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/tally.h"
#include "os/linux/memory.h"
#include "thread/thread.h"

#include <new>

namespace skein {

namespace {

constexpr size_t chain_count = 1 << 20;

struct alignas(64) Stripe {
  SpinLock lock{Rank::thread_table};
};

Thread **chains;
Stripe stripes[thread_locks];
std::atomic<uint64_t> last_number{1}; // 1 is main, on node 0

size_t chain_of(uint64_t id) {
  // Nodes start at different places, else the first threads of all nodes would share chains.
  return (thread_id_number(id) + static_cast<uint64_t>(thread_id_node(id)) * 0x9e3779b1) % chain_count;
}

SpinLock &lock_of(size_t chain) { return stripes[chain % thread_locks].lock; }

/// Under its lock. Null if it is not here.
Thread *find_in(size_t chain, uint64_t id) {
  Thread *thread = chains[chain];
  while (thread && thread->id != id)
    thread = thread->table_next;
  return thread;
}

} // namespace

void thread_table_start() {
  if (!chains)
    chains = static_cast<Thread **>(memory_allocate(chain_count * sizeof(Thread *)));
  if (!chains)
    fatal("no address space for the table of threads (%zu MiB): raise ulimit -v", chain_count * sizeof(Thread *) >> 20);
}

uint64_t thread_id_next() {
  return alone_fetch_add(last_number, uint64_t{1}) + 1 + (static_cast<uint64_t>(node.self) << id_node_shift);
}

uint64_t thread_id_next_alone() {
  const uint64_t number = last_number.load(std::memory_order_relaxed) + 1;
  last_number.store(number, std::memory_order_relaxed);
  return number + (static_cast<uint64_t>(node.self) << id_node_shift);
}

bool thread_id_given(uint64_t id) {
  return thread_id_node(id) == node.self && thread_id_number(id) != 0 &&
         thread_id_number(id) <= last_number.load(std::memory_order_relaxed);
}

void thread_list_alone(Thread *thread) {
  Thread *&chain = chains[chain_of(thread->id)];
  thread->table_next = chain;
  chain = thread;
  thread->listed = true;
  tally(Tally::begun);
}

void thread_list(Thread *thread) {
  Guard guard(lock_of(chain_of(thread->id)));
  thread_list_alone(thread);
}

bool thread_list_unless_here(Thread *thread) {
  const size_t chain = chain_of(thread->id);
  Guard guard(lock_of(chain));
  if (find_in(chain, thread->id))
    return false;
  thread_list_alone(thread);
  return true;
}

void thread_unlist_alone(Thread *thread) {
  Thread **at = &chains[chain_of(thread->id)];
  while (*at && *at != thread)
    at = &(*at)->table_next;
  SKEIN_ASSERT(*at, "thread %llu is not in the table", static_cast<unsigned long long>(thread->id));
  *at = thread->table_next;
  thread->table_next = nullptr;
  thread->listed = false;
}

void thread_unlist(Thread *thread, void (*last)(Thread *thread)) {
  if (!thread->listed) // it was its owner who took it out
    return;
  Guard guard(lock_of(chain_of(thread->id)));
  if (last)
    last(thread);
  thread_unlist_alone(thread);
}

/// After its record is out of the way: what counts for termination.
void thread_uncount() { tally(Tally::gone); }

void thread_table_after_fork(Thread *self) {
  memory_discard(chains, chain_count * sizeof(Thread *));
  for (Stripe &stripe : stripes)
    new (&stripe) Stripe(); // another kernel thread may have held it
  tallies_after_fork();
  thread_list(self);
}

size_t thread_lock_of(uint64_t id) { return chain_of(id) % thread_locks; }

bool thread_locked(uint64_t id, void (*function)(Thread *, void *), void *context) {
  const size_t chain = chain_of(id);
  Guard guard(lock_of(chain));
  Thread *thread = find_in(chain, id);
  function(thread, context);
  return thread != nullptr;
}

void thread_each(void (*function)(Thread *, void *), void *context) {
  if (!threads_living())
    return;
  for (size_t chain = 0; chain < chain_count; chain++) {
    if (!__atomic_load_n(&chains[chain], __ATOMIC_RELAXED))
      continue; // a hint: a thread that is being listed just now is not missed by anybody
    Guard guard(lock_of(chain));
    for (Thread *thread = chains[chain]; thread; thread = thread->table_next)
      function(thread, context);
  }
}

void thread_each_in_snapshot(void (*function)(Thread *, void *), void *context) {
  for (size_t chain = 0; chain < chain_count; chain++)
    for (Thread *thread = chains[chain]; thread; thread = thread->table_next)
      function(thread, context);
}

uint64_t threads_living() { return tally_left(Tally::begun, Tally::gone); }

} // namespace skein
