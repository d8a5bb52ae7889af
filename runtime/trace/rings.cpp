// Recording an event, and names; see trace.h. What a kernel thread needs for it is in memory of its own:
//
//     words            |  taken ...... written ......... limit  |
//                                                  until here it looks at nobody else's memory
//
// `limit` is where the ring is full, as far as this kernel thread knows, or where its next half begins: there it wakes
// the recorder. No record lies in both halves.
//
// Reading the clock costs more than all the rest of a record. So what happens in one go has one time: a thread sends,
// which wakes another one, which is queued; or it waits, and its worker takes the next thread. An event can *follow*
// the one before it if nothing lies between them but a few steps of the runtime; the tables below say which can. Where
// more lies in between, trace_time_passes is called. That needs the events at which a worker goes from one thread to
// another, so without the class `scheduling` each record has a time of its own. Where several kernel threads record,
// fewer events follow: none may seem to be earlier than what another kernel thread did to bring it about.
#include "trace/rings.h"

#include "arch/x86_64/ticks.h"
#include "os/linux/futex.h"
#include "thread/processor.h"
#include "trace/trace.h"

#include <cstring>

namespace skein {

extern "C" {
uint32_t __skein_trace_classes;
}
const char trace_text_base[1] = {0};

namespace {

struct alignas(64) Writer {
  uint64_t *words;
  TraceRing *ring;
  uint64_t written, limit, mask; // in words
  TraceEvents followers;         // may have the time of the last record,
  uint64_t epoch;                // if this is still the epoch
  const TraceEvents *later;      // see Followers
  uint64_t lost;                 // that no record tells of yet
  TracePacking packing;
  uint64_t functions[64]; // that were met last; each is where its hash says
};

/// For each event the set of events that can follow.
struct Followers {
  TraceEvents first[trace_event_count]; // where it has a time of its own
  TraceEvents later[trace_event_count]; // where it has followed itself: those of them that still can
};

using enum TraceEvent;
constexpr TraceEvents calls = trace_events(sends, receives, selects);

/// Where several kernel threads record; where only one does; and there, in a call that has begun with an event.
enum class Manner { several, alone, call };

constexpr Followers followers_make(Manner manner) {
  Followers all = {};
  const auto set = [](TraceEvents *of, TraceEvents events, TraceEvents followers) {
    for (size_t i = 0; i < trace_event_count; i++)
      if (events >> i & 1)
        of[i] = followers;
  };
  const TraceEvents ends_of_calls = trace_events(sent, received, selected);
  const TraceEvents switching = trace_events(blocks, queued, unqueued, runs) | ends_of_calls;
  set(all.first, trace_events(gets), trace_events(queued)); // another thread is; then the program goes on
  set(all.first, trace_events(unqueued), trace_events(runs) | ends_of_calls);
  set(all.first, trace_events(runs), ends_of_calls);
  set(all.later, trace_events(runs), ends_of_calls);
  if (manner == Manner::several) {
    set(all.first, calls, trace_events(awaits, blocks));
    set(all.first, trace_events(awaits), trace_events(blocks));
    set(all.later, trace_events(awaits), trace_events(blocks));
    return all;
  }
  set(all.first, calls, switching | trace_events(awaits, gets));
  set(all.first, trace_events(awaits, blocks, yields), switching);
  set(all.later, trace_events(awaits, blocks, unqueued), switching);
  set(all.later, trace_events(queued), switching & ~trace_events(queued));
  if (manner == Manner::call) // several threads can be woken
    set(all.later, trace_events(awaits, blocks, unqueued, gets, queued), switching | trace_events(awaits, gets));
  return all;
}
constexpr Followers followers[] = {followers_make(Manner::several), followers_make(Manner::alone),
                                   followers_make(Manner::call)};

constexpr uint32_t rings_most = 2048;
Writer writers[rings_most] = {};
__thread Writer *writer;
TraceFileHeader *file;
bool by_ticks;
std::atomic<uint64_t> epoch{0};     // of the classes, and of `several`
std::atomic<uint32_t> recording{0}; // kernel threads that have a ring, without the recorder
std::atomic<bool> several{false};
std::atomic<uint32_t> sleeps{0}; // 1: the recorder does

// Functions and texts that rings have, as keys (packed.h), for the recorder to explain: a hash table, and a list in the
// order in which they came.
constexpr uint64_t wanted_most = 1 << 14;
std::atomic<uint64_t> wanted_table[2 * wanted_most], wanted_list[wanted_most];
std::atomic<uint64_t> wanted_count{0};
uint64_t wanted_told; // the recorder's

[[gnu::noinline]] void want(uint64_t key) {
  static_assert(2 * wanted_most == 1 << 15);
  uint64_t at = key * 0x9e3779b97f4a7c15u >> 49; // 15 bits
  for (uint64_t tried = 0; tried < 2 * wanted_most; tried++, at = (at + 1) % (2 * wanted_most)) {
    uint64_t there = wanted_table[at].load(std::memory_order_relaxed);
    if (there == key)
      return;
    if (there)
      continue;
    if (wanted_count.load(std::memory_order_relaxed) >= wanted_most)
      break;
    if (wanted_table[at].compare_exchange_strong(there, key, std::memory_order_relaxed)) {
      const uint64_t place = wanted_count.fetch_add(1, std::memory_order_relaxed);
      if (place >= wanted_most)
        break;
      wanted_list[place].store(key, std::memory_order_release); // pairs with rings_each_new_name
      return;
    }
    if (there == key)
      return;
  }
  if (TraceFileHeader *header = __atomic_load_n(&file, __ATOMIC_RELAXED))
    header->unnamed.fetch_add(1, std::memory_order_relaxed);
}

/// A ring for this kernel thread; null if there is none left.
Writer *take_ring(bool recorders) {
  TraceFileHeader *header = __atomic_load_n(&file, __ATOMIC_ACQUIRE); // pairs with rings_open
  if (!header)
    return nullptr;
  uint32_t index = header->rings.load(std::memory_order_relaxed);
  do
    if (index == header->rings_most) {
      header->homeless.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
  while (!header->rings.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
  if (!recorders && recording.fetch_add(1, std::memory_order_relaxed) == 1) {
    several.store(true, std::memory_order_relaxed);
    epoch.fetch_add(1, std::memory_order_seq_cst); // whoever sees what this kernel thread does next, sees this, too
  }
  const RingView view = ring_of(header, index);
  view.ring->worker = skein_processor ? static_cast<int32_t>(skein_processor->index) : -1;
  writer = &writers[index];
  *writer = {view.words, view.ring, 0, 0, header->ring_bytes / sizeof(uint64_t) - 1, 0, 0, nullptr, 0, {}, {}};
  return writer;
}

void publish(Writer &mine, uint64_t written) {
  mine.written = written;
  mine.ring->written.store(written * sizeof(uint64_t), std::memory_order_release); // pairs with the recorder's acquire
}

[[gnu::always_inline]] inline void write(Writer &mine, const TraceRecord &record) {
  const uint64_t n = mine.written;
  if (uint64_t{1} << record.event & trace_with_function) {
    uint64_t &met = mine.functions[record.a * 0x9e3779b97f4a7c15u >> 58];
    if (__builtin_expect(met != record.a, 0)) {
      met = record.a;
      want(record.a << 1);
    }
  }
  uint64_t *const at = mine.words + (n & mine.mask);
  const uint64_t *const end = mine.packing.pack(at, record, [](uint32_t text) { want(uint64_t{text} << 1 | 1); });
  publish(mine, n + static_cast<uint64_t>(end - at));
}

/// Called where what is left until `limit` is too little for a record of any length. False: the ring is full.
[[gnu::noinline]] bool make_room(Writer &mine) {
  constexpr uint64_t most = 2 * trace_packed_words; // one may tell of those that are lost
  const uint64_t half = (mine.mask + 1) / 2;
  const uint64_t taken = mine.ring->taken.load(std::memory_order_acquire) / sizeof(uint64_t); // pairs with drain
  const uint64_t full = taken + mine.mask + 1;
  uint64_t n = mine.written, next = (n / half + 1) * half;
  if (next - n < most && next <= full) {
    mine.words[n & mine.mask] = 0;
    n = next;
    next += half;
    publish(mine, n);
    rings_wake();
  }
  const uint64_t limit = next < full ? next : full;
  if (n + most > limit) {
    mine.lost++;
    mine.ring->lost.store(mine.ring->lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    rings_wake();
    return false;
  }
  mine.limit = limit;
  if (mine.lost) {
    write(mine, {trace_time(), 0, mine.lost, 0, 0, static_cast<uint16_t>(TraceEvent::lost)});
    mine.lost = 0;
  }
  return true;
}

} // namespace

uint64_t trace_time() { return by_ticks ? ticks_now() : clock_ns(); }

void trace_record(TraceEvent event, uint64_t thread, uint64_t a, uint32_t b, uint16_t c) {
  Writer *mine = writer;
  if (__builtin_expect(!mine, 0) && !(mine = take_ring(false)))
    return;
  if (__builtin_expect(mine->written + trace_packed_words > mine->limit, 0) && !make_room(*mine))
    return;
  const auto number = static_cast<uint16_t>(event);
  const uint64_t now_epoch = epoch.load(std::memory_order_relaxed);
  uint64_t time;
  if (mine->followers >> number & 1 && mine->epoch == now_epoch) {
    time = mine->packing.time();
    mine->followers &= mine->later[number];
  } else {
    time = trace_time();
    const Followers &table = followers[several.load(std::memory_order_relaxed) ? 0 : 1 + (calls >> number & 1)];
    mine->followers = trace_on(TraceClass::scheduling) ? table.first[number] : 0;
    mine->later = table.later;
    mine->epoch = now_epoch;
  }
  write(*mine, {time, thread, a, b, c, number});
}

void trace_time_passed() {
  if (writer)
    writer->followers = 0;
}

void trace_classes_set(uint32_t classes) {
  epoch.fetch_add(1, std::memory_order_relaxed);
  __atomic_store_n(&__skein_trace_classes, classes, __ATOMIC_RELAXED);
}

void rings_begin_recorder() { take_ring(true); }

void trace_worker(uint32_t index) {
  if (writer)
    writer->ring->worker = static_cast<int32_t>(index);
}

uint32_t trace_text(const char *text) {
  const int64_t distance = text - trace_text_base;
  return distance == static_cast<int32_t>(distance) ? static_cast<uint32_t>(distance) : 0;
}

uint32_t trace_name(const char *name) {
  TraceFileHeader *header = __atomic_load_n(&file, __ATOMIC_ACQUIRE);
  if (!header)
    return 0;
  auto *names = reinterpret_cast<TraceName *>(reinterpret_cast<char *>(header) + header->names_at);
  const size_t bytes = strnlen(name, sizeof names->text);
  if (!bytes)
    return 0;
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ static_cast<unsigned char>(name[i])) * 1099511628211u;
  constexpr uint32_t writing = UINT32_MAX;
  const uint32_t most = header->names_most; // a power of two
  for (uint32_t tried = 0, at = static_cast<uint32_t>(hash ^ hash >> 32); tried < most; tried++, at++) {
    TraceName &entry = names[at & (most - 1)];
    uint32_t there = entry.bytes.load(std::memory_order_acquire); // pairs with the release below
    if (!there && entry.bytes.compare_exchange_strong(there, writing, std::memory_order_relaxed)) {
      memcpy(entry.text, name, bytes);
      entry.bytes.store(static_cast<uint32_t>(bytes), std::memory_order_release);
      return at & (most - 1);
    }
    while (there == writing) {
      __builtin_ia32_pause();
      there = entry.bytes.load(std::memory_order_acquire);
    }
    if (there == bytes && !memcmp(entry.text, name, bytes))
      return at & (most - 1);
  }
  header->unnamed.fetch_add(1, std::memory_order_relaxed);
  return most;
}

void rings_open(TraceFileHeader *header, TraceClock clock) {
  by_ticks = clock == TraceClock::ticks;
  recording.store(0, std::memory_order_relaxed);
  several.store(false, std::memory_order_relaxed);
  wanted_told = 0;
  __atomic_store_n(&file, header, __ATOMIC_RELEASE); // pairs with take_ring
}

void rings_abandon() {
  trace_classes_set(0);
  __atomic_store_n(&file, nullptr, __ATOMIC_RELAXED);
  writer = nullptr;
}

RingView ring_of(TraceFileHeader *header, uint32_t index) {
  auto *at =
      reinterpret_cast<std::byte *>(header) + header->rings_at + index * (sizeof(TraceRing) + header->ring_bytes);
  return {reinterpret_cast<TraceRing *>(at), reinterpret_cast<uint64_t *>(at + sizeof(TraceRing))};
}

void rings_each_new_name(void (*take)(TraceTextKind kind, uint64_t key)) {
  for (; wanted_told < wanted_most; wanted_told++) {
    const uint64_t key = wanted_list[wanted_told].load(std::memory_order_acquire); // pairs with want
    if (!key)
      return;
    take(key & 1 ? TraceTextKind::text : TraceTextKind::function, key >> 1);
  }
}

void rings_wait(uint64_t nanoseconds) {
  sleeps.store(1, std::memory_order_seq_cst);
  futex_wait(sleeps, 1, nanoseconds);
  sleeps.store(0, std::memory_order_relaxed);
}

void rings_wake() {
  if (sleeps.load(std::memory_order_relaxed) && sleeps.exchange(0, std::memory_order_relaxed))
    futex_wake(sleeps);
}

} // namespace skein
