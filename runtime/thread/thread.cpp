// Records of threads, their first context, their error texts.
//
// Records are cut from mapped chunks and never given back: a free record is on the list of a kernel thread or on the
// common one. So a stale pointer to a record never faults, and allocation mostly takes no lock.
//
// A fresh stack, before skein_thread_begin runs on it (addresses upwards):
//
//     sp ->  SavedContext             72 bytes, return address skein_thread_begin
//            integer and pointer words 6 × 8: rdi rsi rdx rcx r8 r9
//            floating-point words      8 × 8: xmm0 … xmm7
//            function                  8
//            an argument in memory     8 for each word, and 8 more if their number is odd
//            0, 0                      16: the end of all frames, for unwinders
//     high
//
// Where the thread begins at once (thread_begin_quickly), and all of its arguments are in registers for integers, there
// is no such context: skein_swap and skein_go take the words from its record.
#include "thread/thread.h"

#include "arch/x86_64/switch.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/tally.h"
#include "os/linux/memory.h"
#include "thread/deep.h"
#include "thread/growable.h"
#include "thread/holds.h"
#include "thread/parked.h"
#include "thread/table.h"

#include <skein/skein.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#ifdef SKEIN_TSAN
#include <sanitizer/tsan_interface.h>
#endif

__thread skein::Processor *skein_processor;

namespace skein {

std::atomic<const char *> numbers_untold{nullptr};

uintptr_t segment_nowhere;

namespace {

constexpr size_t chunk_bytes = 64 << 10;
constexpr uint32_t cache_most = 64;
constexpr uint32_t cut_most = 8; // at once, so that a program of one thread touches one page or two

SpinLock free_lock{Rank::thread_pool};
// Under the lock.
Thread *free_records;
std::byte *uncut; // the rest of a chunk
uint32_t uncut_count;

struct Cache {
  Thread *first;
  uint32_t count;
};
__thread Cache cache;

void cache_push(Thread *thread) {
  thread->table_next = cache.first;
  cache.first = thread;
  cache.count++;
}

Thread *cache_pop() {
  Thread *thread = cache.first;
  cache.first = thread->table_next;
  cache.count--;
  return thread;
}

[[gnu::noinline]] Thread *make_record(std::byte *at) { return new (at) Thread(); }

/// Under the lock.
void give_common(Thread *thread) {
  thread->table_next = free_records;
  free_records = thread;
}

/// Under the lock.
void cut() {
  const uint32_t count = uncut_count < cut_most ? uncut_count : cut_most;
  for (size_t i = count; i-- > 0;)
    cache_push(make_record(uncut + i * sizeof(Thread)));
  uncut += count * sizeof(Thread);
  uncut_count -= count;
}

/// Takes some records from the common list, or cuts them off a chunk.
bool cache_fill() {
  {
    Guard guard(free_lock);
    while (free_records && cache.count < cache_most / 2) {
      Thread *thread = free_records;
      free_records = thread->table_next;
      cache_push(thread);
    }
    if (!cache.count)
      cut();
  }
  if (cache.count)
    return true;
  auto *chunk = static_cast<std::byte *>(memory_allocate(chunk_bytes));
  if (!chunk)
    return false;
  Guard guard(free_lock);
  for (; uncut_count; uncut_count--, uncut += sizeof(Thread)) // another kernel thread has brought a chunk meanwhile
    give_common(make_record(uncut));
  uncut = chunk;
  uncut_count = chunk_bytes / sizeof(Thread);
  cut();
  return true;
}

void cache_spill(uint32_t keep) {
  Guard guard(free_lock);
  while (cache.count > keep) {
    give_common(cache_pop());
  }
}

} // namespace

Event<Thread *> thread_ending;

const char *thread_state_name(ThreadState state) {
  static const char *const names[] = {
      "initialised", "ready", "running", "blocked", "in flight", "ended", "created, but not started"};
  return names[static_cast<size_t>(state)];
}

[[gnu::always_inline]] void thread_life_begin(ThreadLife &life) {
  __builtin_memset_inline(static_cast<void *>(&life), 0, sizeof life);
  life.start.control = ControlWords();
  life.stack.slot = no_slot;
}

/// A record that is at hand, not in the table yet.
static inline Thread *fresh_record(ThreadState state) {
  Thread *thread = cache_pop();
  thread_life_begin(*thread);
  thread->segment = segment_nowhere;
  thread->state.store(state, std::memory_order_relaxed);
  return thread;
}

Thread *thread_new(ThreadState state) {
  if (!cache.count && !cache_fill())
    return nullptr;
  Thread *thread = fresh_record(state);
  thread_list_new(thread);
  tally(Tally::begun);
  return thread;
}

[[gnu::always_inline]] Thread *thread_new_quickly() {
  if (!cache.count)
    return nullptr;
  Thread *thread = fresh_record(ThreadState::initialised);
  thread_list_new(thread);
  return thread;
}

Thread *thread_new(uint64_t id, ThreadState state) {
  if (!cache.count && !cache_fill())
    return nullptr;
  Thread *thread = fresh_record(state);
  thread->id = id;
  thread_list(thread);
  return thread;
}

Thread *thread_new_arriving(uint64_t id, bool &here, void (*first)(Thread *thread)) {
  here = false;
  if (!cache.count && !cache_fill())
    return nullptr;
  Thread *thread = fresh_record(ThreadState::in_flight);
  thread->id = id;
  here = !thread_list_unless_here(thread, first);
  if (!here)
    return thread;
  cache_push(thread);
  return nullptr;
}

Thread *thread_record_take() { return cache.count || cache_fill() ? cache_pop() : nullptr; }

void thread_record_give(Thread *record) {
  record->state.store(ThreadState::ended, std::memory_order_relaxed);
  cache_push(record);
  if (cache.count > cache_most)
    cache_spill(cache_most / 2);
}

void thread_renew(Thread *thread) {
  SKEIN_ASSERT(!thread->linked() && !thread->owned && !thread->deep, "thread %llu comes back and has not left",
               static_cast<unsigned long long>(thread->id));
  thread->segment = segment_nowhere;
  new (static_cast<Stays *>(thread)) Stays;
  holds_forget(*thread);
}

void thread_delete(Thread *thread) {
  SKEIN_ASSERT(!thread->linked(), "thread %llu ends while it is in a queue",
               static_cast<unsigned long long>(thread->id));
  thread_unlist(thread);
  if (thread->stack) {
    stack_release(thread->stack);
    thread->stack = {};
  }
#ifdef SKEIN_TSAN
  if (thread->sanitizer_stack)
    __tsan_destroy_fiber(thread->sanitizer_stack);
#endif
#ifdef SKEIN_FIBERS
  thread->sanitizer_stack = nullptr;
#endif
  if (thread->owned)
    thread_ending(thread);
  jumps_delete(*thread);
  if (thread->deep) {
    deep_release(thread->deep);
    thread->deep = nullptr;
  }
  std::free(thread->error_text);
  thread->error_text = nullptr;
  if (thread->holds.named || thread->holds.more)
    holds_forget(*thread);
  SKEIN_ASSERT(thread->timer.state.load(std::memory_order_relaxed) == TimerState::idle,
               "thread %llu ends with a deadline", static_cast<unsigned long long>(thread->id));
  const bool daemon = thread->daemon;
  thread_record_give(thread);
  if (!daemon)
    tally(Tally::gone);
}

void thread_is_daemon(Thread &thread) {
  if (!thread.daemon)
    tally(Tally::gone);
  thread.daemon = 1;
}

void thread_count_again(const Thread &thread, bool was_daemon) {
  if (thread.daemon && !was_daemon)
    tally(Tally::gone);
  else if (!thread.daemon && was_daemon)
    tally(Tally::begun);
}

[[gnu::always_inline]] bool thread_deletable_quickly(const Thread &thread) {
  const auto word = [](const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  return !(thread.limit | word(thread.owned) | word(thread.jumps) | word(thread.error_text) | thread.daemon) &&
         thread.holds.empty() && cache.count < cache_most && stack_releasable_quickly(thread.stack);
}

[[gnu::always_inline]] void thread_delete_quickly(Thread *thread) {
  stack_release_quickly(thread->stack);
  thread->stack = {};
  thread->state.store(ThreadState::ended, std::memory_order_relaxed);
  cache_push(thread);
}

void threads_after_fork(Thread *self) {
  self->daemon = 0; // the child lives as long as it
  new (&free_lock) SpinLock(Rank::thread_pool);
  free_records = nullptr; // its holder may have been in the middle of a change
  thread_table_after_fork(self);
  holds_after_fork();
}

void thread_cache_flush() {
  cache_spill(0);
  parked_blocks_flush();
}

[[gnu::always_inline]] bool thread_beginnable_quickly(const Thread &thread) {
  return !growable_marked(reinterpret_cast<const void *>(thread.start.function)) && stack_at_hand();
}

bool thread_take_stack(Thread *thread, size_t bytes) {
  if (!bytes && thread_beginnable_quickly(*thread)) {
    thread->stack = stack_acquire_quickly();
    thread->limit = 0;
    return true;
  }
  if (growable_function(reinterpret_cast<const void *>(thread->start.function)))
    thread->stack = stack_acquire_growing();
  if (!thread->stack)
    thread->stack = stack_acquire(bytes ? bytes : stack_bytes());
  thread->limit = stack_limit(thread->stack, 0);
  return static_cast<bool>(thread->stack);
}

[[gnu::always_inline]] void thread_begin_quickly(Thread *thread) {
  thread->stack = stack_acquire_quickly();
  if (start_is_simple(thread->start))
    thread->sp = nullptr;
  else
    thread_prepare(thread);
}

void thread_prepare(Thread *thread) {
  struct Fresh {
    SavedContext context;
    uint64_t integers[6];
    uint64_t floats[8];
    void (*function)(void);
  };
  static_assert(sizeof(Fresh) % 16 == 0);
  const Start &start = thread->start;
  constexpr size_t end_bytes = 2 * sizeof(uint64_t);
  const size_t in_memory = start.in_memory ? (start.count + start.count % 2) * sizeof(uint64_t) : 0;
  std::byte *above = thread->stack.high - end_bytes - in_memory;
  auto *fresh = new (above - sizeof(Fresh)) Fresh{};
  fresh->context.control = start.control;
  fresh->context.return_address = reinterpret_cast<uint64_t>(skein_thread_begin);
  fresh->function = start.function;
  thread->sp = fresh;
  std::memset(above + in_memory, 0, end_bytes);
  if (start.in_memory) {
    std::memcpy(above, thread->words, start.count * sizeof *thread->words);
    return;
  }
  size_t integers = 0, floats = 0;
  for (uint32_t i = 0; i < start.count; i++) {
    const uint32_t kind = start.classes >> 2 * i & 3;
    if (kind == SKEIN_ARGUMENT_DOUBLE || kind == SKEIN_ARGUMENT_FLOAT) {
      SKEIN_ASSERT(floats < 8, "more than 8 floating-point arguments of a spawned function");
      fresh->floats[floats++] = thread->words[i];
    } else {
      SKEIN_ASSERT(integers < 6, "more than 6 integer arguments of a spawned function");
      fresh->integers[integers++] = thread->words[i];
    }
  }
}

[[gnu::always_inline]] Result thread_result(const Thread &thread, uint64_t word, uint64_t real) {
  const uint32_t type = thread.start.classes >> SKEIN_RESULT_SHIFT;
  switch (type) {
  case SKEIN_RESULT_NONE:
    return {};
  case SKEIN_RESULT_POINTER:
    return {word, ResultKind::pointer};
  case SKEIN_RESULT_DOUBLE:
    return {real, ResultKind::real};
  case SKEIN_RESULT_FLOAT: {
    float narrow;
    std::memcpy(&narrow, &real, sizeof narrow);
    const double wide = narrow;
    std::memcpy(&real, &wide, sizeof real);
    return {real, ResultKind::real};
  }
  default:
    // The upper part of the register has no meaning.
    const unsigned bits = 8u << (type - SKEIN_RESULT_SIGNED) / 2, unused = 64 - bits;
    const bool is_signed = (type - SKEIN_RESULT_SIGNED) % 2 == 0;
    word <<= unused;
    return {is_signed ? static_cast<uint64_t>(static_cast<int64_t>(word) >> unused) : word >> unused,
            ResultKind::integer};
  }
}

int thread_error(Thread *thread, int code, const char *format, ...) {
  if (!thread->error_text)
    thread->error_text = static_cast<char *>(std::malloc(error_text_bytes));
  if (thread->error_text) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(thread->error_text, error_text_bytes, format, arguments);
    va_end(arguments);
  }
  return code;
}

int thread_check_node(Thread *thread, int to, const char *call) {
  const int taken = nodes_taken();
  if (to >= 0 && to < taken)
    return SKEIN_OK;
  return thread_error(thread, SKEIN_ENODE, "%s: there is no node %d, only 0 to %d", call, to, taken - 1);
}

void thread_error_clear(Thread *thread) {
  if (thread->error_text)
    *thread->error_text = 0;
}

ThreadName thread_name(uint64_t id) {
  ThreadName name;
  const auto number = static_cast<unsigned long long>(thread_id_number(id));
  if (thread_id_node(id) == 0)
    std::snprintf(name.text, sizeof name.text, "%llu", number);
  else
    std::snprintf(name.text, sizeof name.text, "%llu of node %d", number, thread_id_node(id));
  return name;
}

} // namespace skein
