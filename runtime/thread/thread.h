// Threads: their record, their life, their table.
//
//     created, until skein_start
//        |
//        v         first resume                  yield, woken
//     initialised ---------------> running <-------------------+
//        |                          |   |                      |
//        |  taken away              |   +--> ready --- resume -+
//        +------------+             +------> blocked --> ready
//                     v             |
//                 in_flight <-------+ (ready or blocked threads, by migrate)
//                     |             |
//                     v             v
//              record deleted     ended  (record deleted)
//
// * initialised: function and arguments, no stack. A stack is found when it first runs.
// * These may change a thread: the worker that runs it (running), the bundle that holds it (initialised, ready), the
//   code that took it out of the bundle (in_flight), the waker that removed it from the list it waited in (blocked),
//   and the thread that starts it (created: the one that changes the state, under the table's lock).
// * A record never moves in memory and belongs to this process; a thread that migrates gets a new record over there.
//
// The table finds a record by its id. A record can end at any time in another worker, so `thread_with` runs a function
// under the shard's lock instead of handing out a pointer.
#ifndef SKEIN_THREAD_THREAD_H
#define SKEIN_THREAD_THREAD_H

#include "abi/entry_points.h"
#include "arch/x86_64/control_words.h"
#include "arch/x86_64/offsets.h"
#include "base/event.h"
#include "base/list.h"
#include "base/node.h"
#include "channels/in_thread.h"
#include "dsm/in_thread.h"
#include "net/in_thread.h"
#include "sched/in_thread.h"
#include "sync/in_thread.h"
#include "thread/jumps.h"
#include "thread/processor.h"
#include "thread/stack.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

struct skein_bundle;

namespace skein {

struct Thread;

enum class ThreadState : uint8_t { initialised, ready, running, blocked, in_flight, ended, created };
const char *thread_state_name(ThreadState state);

/// What a thread runs.
struct Start {
  void (*function)(void) = nullptr;
  uint32_t classes = 0;   // SKEIN_ARGUMENT_*, two bits each; above them SKEIN_RESULT_*
  uint16_t count = 0;     // of Thread::words
  uint16_t in_memory = 0; // 1: the words are one argument that is passed in memory. 0: each is one in a register
  ControlWords control;   // its creator's, then
};

/// Whether all arguments are integers or addresses that are passed in registers.
inline bool start_is_simple(const Start &start) {
  constexpr uint32_t reals = 0xaaaaaaa; // the upper bit of each class
  static_assert(SKEIN_ARGUMENT_INTEGER < 2 && SKEIN_ARGUMENT_POINTER < 2 && SKEIN_ARGUMENT_DOUBLE >= 2 &&
                SKEIN_ARGUMENT_FLOAT >= 2 && reals >> SKEIN_RESULT_SHIFT == 0);
  return !((start.classes & reals) | start.in_memory) && start.count <= 6;
}

struct Private; // private/regions/extents.h

inline constexpr size_t thread_name_bytes = 16;

/// A lock of this node that a thread holds (holds.h): ours, and from c_mutex on those of the C library.
enum class HoldKind : uint8_t {
  mutex,
  spin,
  read,
  write,
  once,
  c_mutex,
  c_spin,
  c_read,
  c_write,
  c_file,
  c_semaphore,
  c_guard,
  region, // SKEIN_PINNED; its object is the text of the place, "file.c:12"
};
struct Hold {
  void *object = nullptr; // null: none. Atomic where other threads look
  const void *place;      // return address of the call that took it
  HoldKind kind;
};
inline constexpr uint8_t holds_inline = 4;
struct HoldBlock {
  HoldBlock *next = nullptr;
  Hold holds[8];
};

/// Which locks a thread holds, besides those in Thread::hold_slots (holds.h).
struct Holds {
  HoldBlock *more = nullptr;
  uint32_t unnamed = 0; // locks for which there was no memory
  uint16_t binds = 0;   // of all, what only its worker can let go of; with any it is bound (owned by sync/c_locks)
  uint8_t named = 0;    // of hold_slots, those from here on are free
  bool bound = false;   // it is bound because of `binds`

  /// Whether all of it is 0.
  bool empty() const {
    uint64_t words[2];
    static_assert(sizeof words == sizeof(Holds));
    __builtin_memcpy(words, this, sizeof words);
    return !(words[0] | words[1]);
  }
};

// With what follows, what bundles see: struct skein_tcb of <skein/bundle.h>; sched/bundle.cpp checks that they agree.
struct InBundle : Link {
  skein_bundle *bundle;            // whose handlers decide when it runs
  std::atomic<void *> bundle_data; // the bundle's while it holds the thread
  uint32_t worker;                 // where it ran last
};

/// What goes with a thread wherever it goes, as it stands in its image (migrate/image.h, docs/wire-format.md). A field
/// that is added here travels. If a value from a peer makes no sense, `travels_well` (migrate/image_check.cpp) refuses
/// it. Other things travel as well: the thread's stack, arguments, error text, jumps, and what it owns.
struct Travels {
  uint64_t id;
  uint64_t stamp;
  int32_t priority;
  uint16_t moves;       // how often it arrived from another node
  uint16_t follow_home; // 1 + the node that it left to follow data, and perhaps came back to; 0: none (dsm/follow)
  uint64_t result;      // what the call it is suspended in will return (rax), or the call that it awaits
  Start start;          // kept while it runs, so that reports can name its function
  Result join_result;   // of the thread that it joined last
  char name[thread_name_bytes]; // given by the program, for reports; "": none. The last byte is 0
  uint8_t follow_patience;      // there it waits for 2^this times the break-even before it leaves again (dsm/follow)
  uint8_t global_holds;   // mutexes over nodes that it holds, at most; UINT8_MAX: nobody knows (owned by dsm/objects)
  uint8_t awaiting;       // 1: in flight, and waits for an answer (owned by net/moves/awaits)
  uint8_t daemon;         // 1: the run does not wait for its end (thread_is_daemon)
  uint8_t unused[4];      // 0
  uint64_t move_handlers; // where the first one is, 0: none (migrate/move_handlers.h)
};
static_assert(std::has_unique_object_representations_v<Travels>, "an image would hold bytes that nobody has set");

/// The state of a suspended thread that the assembly knows; checked below.
struct Suspended {
  void *sp;          // while suspended with a stack: see arch/x86_64/offsets.h. Null: thread_begin_quickly
  uint64_t limit;    // where the check in a prologue stops it, in %fs:0x70 while it runs; 0: its stack does not grow
  void *deep;        // top of the deep stack it was suspended on, mostly null (deep.h)
  uintptr_t segment; // gs while it runs: where its private globals are (private/globals/globals.h), or segment_nowhere
  Stack stack;       // empty while initialised
};

/// What a thread has on one node only: where it arrives it begins as it stands here.
struct Stays {
  Waiting wait;
  Awaiting await;
  Ordered ordered;
  Following follow;
  Talking talking;
  int16_t start_node = 0;               // created: where it is to begin
  std::atomic<uint32_t> descriptors{0}; // that it got since it came to this node, and that are open
  bool settling = false;    // it arrived, or main joins on: not for thieves before it has run (its holder's)
  bool limit_bound = false; // bound while it waits to spawn (owned by sched/limits)
  bool bound = false;       // to `worker`: it runs nowhere else, and leaves only by itself
};

/// What begins anew with each life of a record. All of it is written when a thread is created, so it is kept short: at
/// 10^5 threads at once each cache line of it costs some nanoseconds a thread. Structures whose name has no comment are
/// described by the rooms that own them, in their in_thread.h.
struct ThreadLife : InBundle, Travels, Suspended, Stays {
  std::atomic<ThreadState> state;
  std::atomic<bool> interrupted; // somebody wants it at its next poll (net/moves/exchange, sync/ending)
  Ending end;

  const char *escaped;   // null, or how an address of its stack left the sight of the maps: it may never move
  const char *numbered;  // null, or how one was made into a number: its stack keeps its address, or stays
  const char *pinned_by; // null, or the function that was given an address of its stack and keeps it: it may never move
                         // from now on
  JumpTable *jumps;      // what setjmp saved; null until it is called
  char *error_text;      // error_text_bytes, allocated with the first error; null: ""
  Private *owned;        // its private globals and heap; null: it owns nothing (owned by room private)
  Thread *table_next;    // chain in the table, or in the list of free records
  [[no_unique_address]] Joining join; // whose padding has room for the next three
  Birth births;
  bool listed;        // in the table
  bool reads_options; // getopt has not returned -1 yet: it may not leave (owned by room private)
  Holds holds;
};

/// As ThreadLife() makes it, in half of the instructions: that zeroes it first and then each of its fields.
void thread_life_begin(ThreadLife &life);

/// A record has cache lines of its own.
struct alignas(64) Thread : ThreadLife {
  // These are not written when a life begins. In `words` only the first start.count mean anything, and the end of a
  // life leaves neither a hold, a timer nor a sanitizer's stack.
  uint64_t words[SKEIN_ARGUMENTS_MAX];
  Hold hold_slots[holds_inline]; // owned by holds.h; the first holds.named are in use
  Timer timer;
  uint64_t wait_detail;  // the wait's own (owned by room sync)
  void *sanitizer_stack; // a sanitizer's fake stack or fiber while suspended
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(Thread, sp) == SKEIN_THREAD_SP);
static_assert(offsetof(Thread, result) == SKEIN_THREAD_RESULT);
static_assert(offsetof(Thread, words) <= 7 * 64, "each thread that is created writes one more cache line");
static_assert(offsetof(Thread, limit) == SKEIN_THREAD_LIMIT);
static_assert(offsetof(Thread, deep) == SKEIN_THREAD_DEEP);
static_assert(offsetof(Thread, stack.high) == SKEIN_THREAD_STACK_HIGH);
static_assert(offsetof(Thread, segment) == SKEIN_THREAD_SEGMENT);
static_assert(offsetof(Thread, start.function) == SKEIN_THREAD_FUNCTION);
static_assert(offsetof(Thread, start.control.mxcsr) == SKEIN_THREAD_MXCSR);
static_assert(offsetof(Thread, start.control.x87) == SKEIN_THREAD_X87CW);
static_assert(offsetof(Thread, words) == SKEIN_THREAD_WORDS);

/// Of thousands of threads none has in a cache what a switch to it touches. Whoever knows which one runs soon fetches
/// its record some time before, and then its stack.
inline void thread_fetch_record(const Thread *thread) {
  const auto *record = reinterpret_cast<const std::byte *>(thread);
  __builtin_prefetch(record);
  __builtin_prefetch(&thread->sp);
  __builtin_prefetch(&thread->stack);
}
inline void thread_fetch_stack(const Thread *thread) {
  const auto *sp = static_cast<const std::byte *>(thread->sp);
  for (size_t line = 0; line < 4; line++)
    __builtin_prefetch(sp + line * 64);
}

/// So much of its stack a suspended thread uses; 0: it has none.
inline size_t live_bytes(const Thread &thread) {
  return thread.stack ? static_cast<size_t>(thread.stack.high - static_cast<const std::byte *>(thread.sp)) : 0;
}

/// The thread whose wait.record this is.
inline Thread *thread_of(WaitRecord *record) {
  return reinterpret_cast<Thread *>(reinterpret_cast<std::byte *>(record) - offsetof(Thread, wait.record));
}
inline Thread *thread_of(Timer *timer) {
  return reinterpret_cast<Thread *>(reinterpret_cast<std::byte *>(timer) - offsetof(Thread, timer));
}
#pragma GCC diagnostic pop

/// How code of the program may have made numbers of addresses without a word about each (__skein_numbers_untold); null:
/// there is no such code.
extern std::atomic<const char *> numbers_untold;
/// How a number was, or may have been, made of an address of the thread's stack, as Thread::numbered says; null:
/// nothing has made one.
inline const char *thread_numbered(const Thread &thread) {
  return thread.numbered != nullptr || !thread.stack ? thread.numbered : numbers_untold.load(std::memory_order_relaxed);
}

inline constexpr size_t error_text_bytes = 320;

/// Ids: the node that created it in the high bits, a number counted from 1 in the low ones. main is 1.
inline constexpr unsigned id_node_shift = SKEIN_THREAD_NODE_SHIFT;
inline int thread_id_node(uint64_t id) { return static_cast<int>(id >> id_node_shift); }
/// Whether this node keeps the record of a thread of that id, wherever it is: it was born here, or on a node that has
/// left the run and whose heir this one is.
inline bool thread_kept_here(uint64_t id) {
  const int birth = thread_id_node(id);
  return birth == node.self || (node_has_left(birth) && keeper_of(birth) == node.self);
}
inline uint64_t thread_id_number(uint64_t id) { return id & ((UINT64_C(1) << id_node_shift) - 1); }
inline constexpr uint64_t main_id = 1;

/// Whether this node has ever given out that id.
bool thread_id_given(uint64_t id);

/// A new record in the table, of a thread of this node: under its next id. Null without memory.
Thread *thread_new(ThreadState state = ThreadState::initialised);
/// The same under `id`; in_flight if others may look there for it before it is complete. Null without
/// memory.
Thread *thread_new(uint64_t id, ThreadState state = ThreadState::initialised);
/// The same for a thread that arrives, in_flight, unless one of that id is in the table: then null, and `here` is set.
/// `first` is called as soon as it is in the table, under its lock.
Thread *thread_new_arriving(uint64_t id, bool &here, void (*first)(Thread *thread));
/// The record of a thread that was elsewhere and comes back as an image: what Stays says is as in a new one, and it
/// holds and owns nothing. Its place in the table, its stack, and what others may be changing just now remain: that
/// somebody waits for its end, or wants it to end.
void thread_renew(Thread *thread);
/// Takes the thread out of the table: it cannot be found any more. Not needed before thread_delete. If it was there,
/// `last` is called before that, under the table's lock.
void thread_unlist(Thread *thread, void (*last)(Thread *thread) = nullptr);
/// From now on the run does not wait for the end of this thread: it is counted as if it had ended.
void thread_is_daemon(Thread &thread);
/// An image has been put into the record, which stood for a daemon before, or was counted.
void thread_count_again(const Thread &thread, bool was_daemon);
/// Fired when a thread that owns something private has ended, or is deleted. It owns nothing afterwards.
extern Event<Thread *> thread_ending;
/// Takes the thread out of the table, releases its stack, if any, and what it owns, and frees the record.
void thread_delete(Thread *thread);

// For quick ways (sched/quick.h): these refuse whatever needs more than what this kernel thread has at hand, before
// anything has happened.
/// A new initialised thread of this node, which is not counted yet (Tally::begun). Null: no free record is at hand.
Thread *thread_new_quickly();
/// As thread_take_stack and thread_prepare, for a thread that skein_swap or skein_go begins at once, if it is
/// thread_beginnable_quickly: its stack does not grow, and a free one is at hand.
bool thread_beginnable_quickly(const Thread &thread);
void thread_begin_quickly(Thread *thread);
/// As thread_delete, of a thread that is out of the table and thread_deletable_quickly: it has a stack that does not
/// grow, owns nothing else, and there is room at hand for what gets free. The caller counts it (Tally::gone).
bool thread_deletable_quickly(const Thread &thread);
void thread_delete_quickly(Thread *thread);

/// For the child of a fork: the kernel threads that held locks do not exist there; `self` is the only thread.
void threads_after_fork(Thread *self);
/// Gives this kernel thread's free records to the others, before it ends.
void thread_cache_flush();

/// Runs function(thread, context) under the table's lock, with null if the thread is not on this node, and returns
/// whether it is. The function must not block and may take only locks of a greater rank than thread_table.
bool thread_locked(uint64_t id, void (*function)(Thread *, void *), void *context);
template <class Function> bool thread_locked(uint64_t id, Function &&function) {
  return thread_locked(
      id, [](Thread *thread, void *context) { (*static_cast<std::remove_reference_t<Function> *>(context))(thread); },
      &function);
}
/// The same, but only if the thread is on this node.
template <class Function> bool thread_with(uint64_t id, Function &&function) {
  return thread_locked(id, [&](Thread *thread) {
    if (thread)
      function(thread);
  });
}
/// The table has at most so many locks, and this one belongs to an id. Other things that are known of ids may lie under
/// it.
inline constexpr size_t thread_locks = 1024;
size_t thread_lock_of(uint64_t id);

/// Its record will be used soon, and may lie in another core's cache.
inline void thread_prefetch(const Thread &thread) {
  constexpr size_t line = 64;
  for (size_t at = 0; at < sizeof thread; at += line)
    __builtin_prefetch(reinterpret_cast<const std::byte *>(&thread) + at);
}

/// Calls function(thread, context) for every thread on this node, under the locks of the table's shards.
void thread_each(void (*function)(Thread *, void *), void *context);
/// The same without locks, for a process in which no other kernel thread runs any more.
void thread_each_in_snapshot(void (*function)(Thread *, void *), void *context);

/// The number of threads on this node, but for daemons: initialised, ready, running, blocked, in flight.
uint64_t threads_living();

/// Gives the thread a stack for this start: one that grows, if its function was compiled for that and there is one;
/// otherwise one of at least `bytes`, or of the size that threads have if that is 0. Sets stack and limit; false if
/// there is none.
bool thread_take_stack(Thread *thread, size_t bytes);

/// Lays out the first context on thread->stack, so that a resume starts function(words…).
void thread_prepare(Thread *thread);

/// Whether the thread's function gives a result.
inline bool thread_returns(const Thread &thread) { return thread.start.classes >> SKEIN_RESULT_SHIFT != 0; }
/// The result of a thread whose function has returned `word` in rax and `real` in xmm0.
Result thread_result(const Thread &thread, uint64_t word, uint64_t real);

/// Sets the text that skein_error_text() returns to the thread, and returns `code` (for `return thread_error(…)`).
int thread_error(Thread *thread, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void thread_error_clear(Thread *thread);
/// For a call that is given a node: SKEIN_OK, or SKEIN_ENODE and a text if there is none of that number.
int thread_check_node(Thread *thread, int to, const char *call);

/// Ids as people read them: "7" for a thread of node 0, "7 of node 2" otherwise. Returns `to`.
struct ThreadName {
  char text[48];
};
ThreadName thread_name(uint64_t id);

} // namespace skein

#endif
