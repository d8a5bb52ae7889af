// The table of the threads on this node, by id.
//
// A fixed array of chains, mapped but touched only where it is used, so start-up pays nothing and it never grows. Ids
// of a worker count upwards, so neighbours in time are neighbours in the array: spawning walks along cache lines.
// Chains stay short up to some million threads.
//
// Numbers and chains are dealt out in *blocks* of 64, one to each worker in turn:
//
//     numbers    1 … 63    64 … 127   128 … 191   192 … 255   …
//     of worker    0           1          0           1             with two workers; with one, all are its own
//
// A block has one of the locks of its worker, `locks_of_worker` in turn, which is biased to it (base/biased_lock.h). So
// a worker makes ids, and finds and forgets the threads that it has made, without a locked instruction, and workers
// that end threads of another one rarely want the same lock.
#include "thread/table.h"
#include "base/biased_lock.h"
#include "base/log.h"
#include "base/tally.h"
#include "os/linux/memory.h"
#include "thread/thread.h"

#include <cstring>
#include <new>

namespace skein {

ThreadTable thread_table;
ThreadTableLocks thread_table_locks;

namespace {

constexpr size_t chain_count = ThreadTable::chain_count;
constexpr uint64_t block = ThreadTable::block;

constexpr size_t parked_chain_count = chain_count * ThreadTable::parked_chains;

Thread **&chains = thread_table.chains;
uint32_t &owners = thread_table.owners;

/// The next number of a worker; written under the lock of that number.
struct alignas(64) Numbers {
  std::atomic<uint64_t> next;
};
Numbers numbers[ThreadTable::owners_most];

uint32_t owner_of(uint64_t number) { return static_cast<uint32_t>(number / block) & (owners - 1); }
uint32_t owner_of(const Processor *processor) { return processor ? processor->index & (owners - 1) : 0; }

void make_locks() {
  for (uint32_t i = 0; i < owners * ThreadTable::locks_of_worker; i++)
    new (&thread_table_locks.all[i]) TableLock();
}

} // namespace

void thread_table_start(uint32_t workers) {
  if (chains)
    return;
  chains = static_cast<Thread **>(memory_allocate(chain_count * sizeof(Thread *)));
  if (!chains)
    fatal("no address space for the table of threads (%zu MiB): raise ulimit -v", chain_count * sizeof(Thread *) >> 20);
  while (owners < workers && owners < ThreadTable::owners_most)
    owners *= 2;
  make_locks();
  for (uint32_t i = 0; i < owners; i++)
    numbers[i].next.store(i ? i * block : main_id + 1, std::memory_order_relaxed);
}

void thread_table_adopt(const Processor &processor) {
  for (uint32_t i = 0; i < ThreadTable::locks_of_worker; i++)
    thread_table_locks.all[owner_of(&processor) + i * owners].lock.set_owner(&processor);
}

bool thread_id_given(uint64_t id) {
  const uint64_t number = thread_id_number(id);
  return thread_id_node(id) == node.self && number != 0 &&
         number < numbers[owner_of(number)].next.load(std::memory_order_relaxed);
}

/// To be called before the first chain of a block is used. A page that is read first is mapped to the kernel's page of
/// zeros, and mapped again when it is written, which interrupts all workers; so it is written first. The chain may be
/// in use, and does not change.
[[gnu::noinline]] static void write_first(Thread *&chain) { asm volatile("lock orq $0, %0" : "+m"(chain) : : "cc"); }

[[gnu::always_inline]] void thread_list_new(Thread *thread) {
  const Processor *mine = skein_processor;
  std::atomic<uint64_t> &next = numbers[owner_of(mine)].next;
  const uint64_t of_node = static_cast<uint64_t>(node.self) << id_node_shift;
  for (;;) {
    const uint64_t number = next.load(std::memory_order_relaxed);
    const ThreadPlace place = thread_place(number + of_node);
    BiasedGuard guard(place.lock(), mine);
    if (next.load(std::memory_order_relaxed) != number)
      continue; // a kernel thread that is no worker has taken it
    const bool is_last = (number + 1) % block == 0;
    const uint64_t after = is_last ? number + 1 + (owners - 1) * block : number + 1;
    next.store(after, std::memory_order_relaxed);
    thread->id = number + of_node;
    thread_enter(place, thread);
    if (__builtin_expect(is_last, 0))
      write_first(thread_place(after + of_node).chain);
    return;
  }
}

void thread_list(Thread *thread) {
  const ThreadPlace place = thread_place(thread->id);
  BiasedGuard guard(place.lock(), skein_processor);
  thread_enter(place, thread);
  tally(Tally::begun);
}

bool thread_list_unless_here(Thread *thread, void (*first)(Thread *thread)) {
  const ThreadPlace place = thread_place(thread->id);
  BiasedGuard guard(place.lock(), skein_processor);
  if (thread_find(place, thread->id) || parked_find(thread->id))
    return false;
  thread_enter(place, thread);
  first(thread);
  tally(Tally::begun);
  return true;
}

void thread_unlist(Thread *thread, void (*last)(Thread *thread)) {
  if (!thread->listed) // its owner took it out
    return;
  const ThreadPlace place = thread_place(thread->id);
  BiasedGuard guard(place.lock(), skein_processor);
  if (last)
    last(thread);
  thread_leave(place, thread);
}

void thread_table_after_fork(Thread *self) {
  memory_discard(chains, chain_count * sizeof(Thread *));
  if (thread_table.parked)
    memory_discard(thread_table.parked, parked_chain_count * sizeof(ParkedThread *));
  make_locks(); // another kernel thread may have held one
  tallies_after_fork();
  if (skein_processor)
    thread_table_adopt(*skein_processor);
  thread_list(self);
}

size_t thread_lock_of(uint64_t id) { return thread_place(id).lock_number; }

bool thread_locked(uint64_t id, void (*function)(Thread *, void *), void *context) {
  const ThreadPlace place = thread_place(id);
  for (;;) {
    {
      BiasedGuard guard(place.lock(), skein_processor);
      Thread *thread = thread_find(place, id);
      if (thread || !parked_find(id)) {
        function(thread, context);
        return thread != nullptr;
      }
    }
    parked_bring_back(id);
  }
}

void thread_each(void (*function)(Thread *, void *), void *context) {
  if (!threads_living())
    return;
  for (size_t chain = 0; chain < chain_count; chain++) {
    if (!__atomic_load_n(&chains[chain], __ATOMIC_RELAXED))
      continue; // this is only a hint: a thread that is being listed just now is not missed
    BiasedGuard guard(thread_place_of_chain(chain).lock(), skein_processor);
    for (Thread *thread = chains[chain]; thread; thread = thread->table_next)
      function(thread, context);
  }
}

void thread_each_in_snapshot(void (*function)(Thread *, void *), void *context) {
  for (size_t chain = 0; chain < chain_count; chain++)
    for (Thread *thread = chains[chain]; thread; thread = thread->table_next)
      function(thread, context);
}

void parked_enter(const ThreadPlace &place, ParkedThread *parked, Thread *thread) {
  thread_leave(place, thread);
  ParkedThread *&chain = parked_chain(parked->id);
  parked->table_next = chain;
  chain = parked;
  tally(Tally::parked);
}

void parked_leave(const ThreadPlace &place, ParkedThread *parked, Thread *thread) {
  ParkedThread **at = &parked_chain(parked->id);
  while (*at != parked)
    at = &(*at)->table_next;
  *at = parked->table_next;
  tally(Tally::unparked);
  thread_enter(place, thread);
}

bool parked_table_start() {
  thread_table.parked = static_cast<ParkedThread **>(memory_allocate(parked_chain_count * sizeof(ParkedThread *)));
  return thread_table.parked != nullptr;
}

/// A record of the thread that is only looked at.
static void copy_parked(const ParkedThread &parked, Thread &to) {
  parked_restore(parked, to);
  to.wait.object = parked.object;
  to.wait.reason = parked_waits_in(parked);
  to.wait.kind = parked.object ? parked.kind : nullptr;
}

void parked_each(void (*function)(Thread *, void *), void *context) {
  if (!parked_count())
    return;
  for (size_t chain = 0; chain < parked_chain_count; chain++) {
    ParkedThread *&first = thread_table.parked[chain];
    if (!__atomic_load_n(&first, __ATOMIC_RELAXED))
      continue;
    BiasedGuard guard(thread_place_of_chain(chain % chain_count).lock(), skein_processor);
    for (ParkedThread *parked = first; parked; parked = parked->table_next) {
      Thread copy;
      copy_parked(*parked, copy);
      function(&copy, context);
    }
  }
}

void parked_each_in_snapshot(void (*function)(Thread *, void *), void *context) {
  if (!parked_count())
    return;
  for (size_t chain = 0; chain < parked_chain_count; chain++)
    for (ParkedThread *parked = thread_table.parked[chain]; parked; parked = parked->table_next) {
      Thread copy;
      copy_parked(*parked, copy);
      copy.stack = parking_place;
      copy.sp = parking_place.high - parked->stack_bytes();
      std::memcpy(copy.sp, parked->stack(), parked->stack_bytes());
      function(&copy, context);
    }
}

uint64_t threads_living() { return tally_left(Tally::begun, Tally::gone); }

} // namespace skein
