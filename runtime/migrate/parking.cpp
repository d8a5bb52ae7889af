// Parks threads that wait, and brings them back; see parking.h.
#include "migrate/parking.h"

#include "base/knobs.h"
#include "base/log.h"
#include "base/tally.h"
#include "migrate/check.h"
#include "migrate/image_jumps.h"
#include "migrate/leftovers.h"
#include "migrate/movable.h"
#include "migrate/relocate.h"
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "sched/bundle.h"
#include "sched/worker.h"
#include "sync/waits.h"
#include "thread/growable.h"
#include "thread/parked.h"
#include "thread/table.h"

#include <algorithm>
#include <new>
#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Defined by units that are compiled with -fskein-stacks=common.
extern "C" const char __skein_stacks_common __attribute__((weak));

namespace skein {

namespace {

constexpr size_t live_most = 16 << 10; // a thread with more is not worth copying
constexpr uint64_t many = 16;          // times park_after: with fewer threads none is parked
constexpr uint64_t enough_ready = 64;  // with so many threads ready, those that are woken wait for their turn,
constexpr uint64_t few_ready = 32;     // until there are fewer than so many;
constexpr uint64_t turns_most = 16;    // but after so many turns one comes back in any case
constexpr uint32_t back_at_once = 64;
constexpr uint32_t look_ahead = 4; // threads; what they have is in no cache
constexpr size_t stack_fetched = 256;
constexpr uint64_t nap_ns = 50'000;
constexpr uint64_t patience_ns = 10'000'000'000;

RefusalCounts refusals;

void nap() {
  const timespec time = {0, static_cast<long>(nap_ns)};
  nanosleep(&time, nullptr);
}

// --- parking ---------------------------------------------------------------------------------------------------------

/// A thread whose wait this kernel thread has seen begin. Its record may have become another thread's meanwhile.
struct Seen {
  uint64_t id;
  Thread *record;
};

/// Those waits, oldest first.
struct Watched {
  Seen *seen;
  uint32_t first, count;
};
__thread Watched watched;

uint32_t watched_most() { return 2 * static_cast<uint32_t>(knobs.park_after); }

/// Where the one after so many others is. (A division would take longer than the rest of `watch`.)
uint32_t watched_place(uint32_t after) {
  const uint32_t place = watched.first + after, most = watched_most();
  return place < most ? place : place - most;
}

void watch(Thread *self) {
  if (self->id == main_id)
    return; // there is only one
  if (!watched.seen) {
    parking_due = true;
    return;
  }
  if (watched.count == watched_most())
    return; // it keeps its stack
  self->wait.record.watched_by = static_cast<uint16_t>(worker_current()->index + 1);
  watched.seen[watched_place(watched.count++)] = {self->id, self};
  parking_due = watched.count == watched_most();
}

/// Whether the thread, which the caller keeps in the table, is in a wait in which threads may be parked, and nobody is
/// about to end that.
bool waits(const Thread &thread) {
  if (thread.state.load(std::memory_order_acquire) != ThreadState::blocked)
    return false;
  const WaitKind *kind = __atomic_load_n(&thread.wait.kind, __ATOMIC_ACQUIRE);
  return kind && kind->parks && !thread.end.cancelled.load(std::memory_order_relaxed) &&
         !thread.interrupted.load(std::memory_order_relaxed) &&
         thread.timer.state.load(std::memory_order_relaxed) == TimerState::idle;
}

/// Whether nothing but its ring leads to the record of a thread that waits. Whether its stack may change is another
/// question (movable).
bool record_is_free(const Thread &thread, Refusal &why) {
  if (thread.bundle->foreign)
    return why.set(SKEIN_EPINNED, "handlers of the program, those of bundle '%s', may keep pointers to the thread",
                   thread.bundle->name);
  if (thread.bound)
    return why.set(SKEIN_EPINNED, "it is bound to a worker");
  if (thread.owned)
    return why.set(SKEIN_EPINNED, "it has private memory, which takes more than its stack");
  if (holds_any(thread))
    return why.set(SKEIN_EPINNED, "it holds a lock");
  if (!is_growable(thread.stack) && thread.stack.bytes() > stack_bytes())
    return why.set(SKEIN_EPINNED, "its stack is larger than others");
  if (thread.deep || !thread.stack.contains(thread.sp) || live_bytes(thread) > live_most)
    return why.set(SKEIN_EPINNED, "it uses more than %zu KiB of its stack, or another stack", live_most >> 10);
  if (thread.stack.contains(thread.wait.object))
    return why.set(SKEIN_EPINNED, "what it waits for lies on its stack");
  return true;
}

/// The ring in which the thread waits; the bucket's lock is held from then on. Null: it does not wait any more.
class HeldRing {
public:
  explicit HeldRing(const Thread &thread) : object_(__atomic_load_n(&thread.wait.object, __ATOMIC_ACQUIRE)) {
    if (!object_)
      return;
    bucket_of(object_).lock();
    // It may have gone on, and wait for something else by now, before the lock was had.
    if (__atomic_load_n(&thread.wait.object, __ATOMIC_ACQUIRE) == object_ &&
        thread.wait.record.queued.load(std::memory_order_acquire) && waits(thread))
      return;
    bucket_of(object_).unlock();
    object_ = nullptr;
  }
  ~HeldRing() {
    if (object_)
      bucket_of(object_).unlock();
  }
  HeldRing(const HeldRing &) = delete;
  explicit operator bool() const { return object_ != nullptr; }
  Ring *operator->() const { return static_cast<Ring *>(object_); }

private:
  void *object_;
};

/// Calls function(place, thread, ring) for a thread that waits, under the locks of both.
template <class Function> void with_waiter(uint64_t id, Function &&function) {
  const ThreadPlace place = thread_place(id);
  BiasedGuard guard(place.lock(), skein_processor);
  Thread *thread = thread_find(place, id);
  if (!thread || !waits(*thread))
    return;
  if (HeldRing ring(*thread); ring)
    function(place, *thread, ring);
}

/// Parks the thread, if it still is in the wait that this worker has seen begin. `clean`: no variable of the program
/// has held an address of a stack (of those that do not grow) since then.
void park(uint64_t id, bool clean) {
  ParkedThread *block = nullptr;
  size_t bytes = 0, wanted = parked_bytes_usual(); // what the last one has taken: many wait in the same place
  Stack left;
  Thread *record = nullptr;
  Refusal why;
  const auto seen_by = static_cast<uint16_t>(worker_current()->index + 1);
  do {
    if (block)
      parked_block_give(block, bytes);
    block = parked_block_take(bytes = wanted);
    if (!block)
      return;
    with_waiter(id, [&](const ThreadPlace &place, Thread &thread, const HeldRing &ring) {
      if (thread.wait.record.watched_by != seen_by || !record_is_free(thread, why))
        return;
      const uint64_t kept = parked_kept(thread);
      const uint8_t record_words = parked_record_words(kept);
      const size_t live = live_bytes(thread);
      wanted = ParkedThread::bytes_for(record_words, live);
      if (wanted != bytes)
        return;
      if (!movable(thread, Journey::to_stack, why) ||
          !((clean && !is_growable(thread.stack)) || check_globals(thread, why)))
        return;
      new (block) ParkedThread;
      block->parked = true;
      block->stack_words = static_cast<uint16_t>(live / sizeof(uint64_t));
      block->record_words = record_words;
      block->id = id;
      block->object = thread.wait.object;
      block->kind = thread.wait.kind;
      block->kept = kept;
      parked_keep(thread, kept, block->words());
      left = thread.stack;
      if (left.contains(reinterpret_cast<const void *>(thread.wait_detail))) // the last of the words
        block->words()[record_words - 1] += static_cast<uint64_t>(parking_place.high - left.high);
      std::fill_n(block->marks(), ParkedThread::mark_words(live), 0);
      if (!stack_copy_marked(thread, parking_place, block->stack(), block->marks(), why))
        return;
      ring->replace(&thread.wait.record, block);
      parked_enter(place, block, &thread);
      record = &thread;
    });
  } while (wanted != bytes);
  if (record) {
    record->stack = {};
    thread_record_give(record);
    stack_vacate(left);
    tally(Tally::parked_bytes, bytes);
    return;
  }
  parked_block_give(block, bytes);
  if (why)
    refusals.add(why.text);
}

/// Brings memory into the cache that is wanted soon, if it is memory.
void fetch(const void *memory, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64)
    __builtin_prefetch(static_cast<const std::byte *>(memory) + at);
}

/// No thread has run on this kernel thread since the search of the variables began, so a wait that it has seen begin,
/// and that is not over, began before.
void park_some() {
  parking_due = false;
  if (!watched.seen) {
    watched.seen = static_cast<Seen *>(memory_allocate(round_up(watched_most() * sizeof *watched.seen, page_bytes())));
    return;
  }
  const uint32_t count = watched.count / 2;
  const auto over = [&] {
    watched.first = watched_place(count);
    watched.count -= count;
  };
  if (threads_living() < many * knobs.park_after)
    return over(); // their stacks are in the caches, where they cost little
  const bool clean = globals_hold_no_stack();
  const auto seen = [](uint32_t i) { return watched.seen[watched_place(i)]; };
  for (uint32_t i = 0; i < count; i++) {
    if (i + 2 * look_ahead < count)
      fetch(seen(i + 2 * look_ahead).record, sizeof(ThreadLife));
    if (i + look_ahead < count)
      fetch(__atomic_load_n(&seen(i + look_ahead).record->sp, __ATOMIC_RELAXED), stack_fetched);
    park(seen(i).id, clean);
  }
  over();
}

// --- coming back -----------------------------------------------------------------------------------------------------

/// Makes the thread of the block, on a stack of its own. Null without memory.
Thread *restore(ParkedThread &parked) {
  Thread *thread = thread_record_take();
  if (!thread)
    return nullptr;
  parked_restore(parked, *thread);
  if (!thread_take_stack(thread, 0)) {
    thread_record_give(thread);
    return nullptr;
  }
  const Stack &stack = thread->stack;
  const size_t live = parked.stack_bytes();
  const intptr_t delta = stack.high - parking_place.high;
  parked_restore_stack(parked, stack);
  thread->sp = stack.high - live;
  thread->limit = stack_limit(stack, live);
  if (parking_place.contains(reinterpret_cast<const void *>(thread->wait_detail)))
    thread->wait_detail += static_cast<uint64_t>(delta);
  if (thread->jumps)
    jumps_relocate(*thread->jumps, delta, 0, reinterpret_cast<uintptr_t>(parking_place.slot_begin),
                   reinterpret_cast<uintptr_t>(parking_place.slot_end));
  thread->wait.kind = parked.kind;
  thread->wait.reason = parked.kind->call;
  return thread;
}

/// The caller has taken the thread out of its ring, and nobody else has it. False: there is no memory for it now.
bool come_back(ParkedThread *parked) {
  Thread *thread = restore(*parked);
  if (!thread)
    return false;
  {
    const ThreadPlace place = thread_place(parked->id);
    BiasedGuard guard(place.lock(), skein_processor);
    parked_leave(place, parked, thread);
  }
  parked_block_give(parked, parked->bytes());
  wait_give_up(thread, SKEIN_OK);
  return true;
}

/// Parked threads that were woken and wait for their turn. Each is counted in threads_waking until it is ready.
struct Waking {
  SpinLock lock{Rank::leaf};
  List<WaitRecord> list;
};
Waking waking;
std::atomic<uint64_t> starving_since_ns{0}; // 0: the last one that was to come back did

/// Its turn comes first: there was no memory for it.
void waking_put_back(ParkedThread *parked) {
  Guard guard(waking.lock);
  waking.list.push_front(parked);
  parked->listed = true;
}

/// Takes this one out of the list. False: it is not there.
bool waking_take(ParkedThread *parked) {
  Guard guard(waking.lock);
  if (!parked->listed)
    return false;
  waking.list.remove(parked);
  parked->listed = false;
  return true;
}

/// Takes the first ones out of the list, at most so many. How many these are.
uint32_t waking_take(ParkedThread **to, uint32_t most) {
  Guard guard(waking.lock);
  uint32_t count = 0;
  for (; count < most; count++) {
    auto *parked = static_cast<ParkedThread *>(waking.list.pop_front());
    if (!parked)
      break;
    parked->listed = false;
    to[count] = parked;
  }
  return count;
}

void waking_done(uint64_t count) {
  if (threads_waking.fetch_sub(count, std::memory_order_release) == count) {
    long_way(long_waking, false);
    if (threads_waking.load(std::memory_order_seq_cst)) // another one was added between these two lines
      long_way(long_waking, true);
  }
}

void wakes(Woken &parked) {
  if (worker_current() && !threads_waking.load(std::memory_order_relaxed)) {
    for (uint64_t ready = bundles_ready(); ready < enough_ready && !parked.empty(); ready++) {
      auto *first = static_cast<ParkedThread *>(parked.pop_front());
      if (!come_back(first)) {
        parked.push_front(first);
        break;
      }
    }
  }
  if (parked.empty())
    return;
  uint32_t count = 0;
  {
    Guard guard(waking.lock);
    for (WaitRecord *one = parked.first(); one; one = parked.after(one), count++)
      static_cast<ParkedThread *>(one)->listed = true;
    threads_waking.fetch_add(count, std::memory_order_seq_cst);
    long_way(long_waking, true);
    waking.list.take_all(parked);
  }
  workers_announce_waking(count);
}

/// There is no memory for a thread that was woken. Others may end, and leave theirs.
void starve(uint64_t id) {
  if (bundles_ready())
    return;
  const uint64_t now = clock_ns();
  uint64_t since = 0;
  if (!starving_since_ns.compare_exchange_strong(since, now, std::memory_order_relaxed) && now - since > patience_ns)
    fatal("there is no memory, or no mapping (vm.max_map_count), for thread %s, which was parked and woken, and no "
          "other thread has given any back for %llu s",
          thread_name(id).text, static_cast<unsigned long long>(patience_ns / 1'000'000'000));
  nap();
}

/// In each turn of all workers one thread each goes on, so a worker need not count those that are ready again before
/// there may be few of them.
void turn() {
  static __thread uint64_t turns_without;
  if (turns_without) {
    turns_without--;
    return;
  }
  const uint64_t ready = bundles_ready();
  ParkedThread *parked[back_at_once];
  const uint64_t room = ready < enough_ready ? enough_ready - ready : 1;
  const uint32_t count = waking_take(parked, room < back_at_once ? static_cast<uint32_t>(room) : back_at_once);
  uint32_t back = 0;
  uint64_t starves = 0;
  for (uint32_t i = 0; i < count; i++)
    fetch(parked[i], sizeof *parked[i] + stack_fetched);
  while (back < count && !starves)
    if (const uint64_t id = parked[back]->id; come_back(parked[back]))
      back++;
    else
      starves = id;
  for (uint32_t i = count; i-- > back;)
    waking_put_back(parked[i]);
  if (back) {
    starving_since_ns.store(0, std::memory_order_relaxed);
    waking_done(back);
  }
  if (threads_waking.load(std::memory_order_relaxed) && ready + back > few_ready)
    turns_without = std::min((ready + back - few_ready) / workers_running(), turns_most);
  if (starves)
    starve(starves);
}

/// Somebody looks for the thread.
void bring_back(uint64_t id) {
  for (;;) {
    ParkedThread *over = nullptr, *woken = nullptr;
    bool no_memory = false;
    {
      const ThreadPlace place = thread_place(id);
      BiasedGuard guard(place.lock(), skein_processor);
      ParkedThread *parked = parked_find(id);
      if (!parked)
        return;
      if (void *object = __atomic_load_n(&parked->object, __ATOMIC_ACQUIRE)) {
        Guard bucket(bucket_of(object));
        if (__atomic_load_n(&parked->object, __ATOMIC_ACQUIRE)) { // it waits, in this ring
          if (Thread *thread = restore(*parked)) {
            __atomic_store_n(&thread->wait.object, object, __ATOMIC_RELEASE);
            static_cast<Ring *>(object)->replace(parked, &thread->wait.record);
            parked_leave(place, parked, thread);
            over = parked;
          } else {
            no_memory = true;
          }
        }
      } else {
        woken = waking_take(parked) ? parked : nullptr;
      }
    }
    if (over) {
      parked_block_give(over, over->bytes());
      return;
    }
    if (woken && come_back(woken))
      return waking_done(1);
    if (woken)
      waking_put_back(woken);
    if (woken || no_memory)
      starve(id);
    nap(); // its waker goes on in a moment; without memory, until there is some
  }
}

const char *waits_in(const ParkedThread &parked) {
  return __atomic_load_n(&parked.object, __ATOMIC_RELAXED) ? parked.kind->call
                                                           : "the list of threads that were parked and woken";
}

// --- the life of the process -----------------------------------------------------------------------------------------

void print_report() {
  const uint64_t parked = tally_sum(Tally::parked);
  report("parking: %llu threads were parked, in %llu bytes each, and %llu brought back; %llu stayed on their stacks",
         static_cast<unsigned long long>(parked),
         static_cast<unsigned long long>(parked ? tally_sum(Tally::parked_bytes) / parked : 0),
         static_cast<unsigned long long>(tally_sum(Tally::unparked)), static_cast<unsigned long long>(refusals.all()));
  refusals.print("parking");
}

void after_fork() {
  new (&waking) Waking;
  threads_waking.store(0, std::memory_order_relaxed);
  long_way(long_waking, false);
  watched.first = watched.count = 0;
  parking_due = false;
}

} // namespace

void parking_start() {
#ifdef SKEIN_FIBERS
  return; // a sanitizer has a record of each stack
#endif
  const bool asked = knobs.park == Parking::on || (knobs.park == Parking::auto_ && &__skein_stacks_common);
  if (!asked)
    return;
  parking_place = stack_acquire();
  if (!parking_place || !parked_table_start()) {
    log("no address space to park threads that wait: they stay on their stacks");
    return;
  }
  parked_start();
  leftovers_start();
  parked_bring_back = bring_back;
  parked_waits_in = waits_in;
  waking_turn = turn;
  parking_parks = park_some;
  parking_wakes = wakes;
  parking_watches = watch;
  events.forked.add(after_fork);
  if (knobs.park_report)
    atexit(print_report);
}

} // namespace skein
