// Recording an event, and names; see trace.h. What a kernel thread needs for it is a line of its own:
//
//     records          |  taken ...... written ......... limit  |
//                                                  until here it looks at nobody else's memory
//
// `limit` is where the ring is full, as far as this kernel thread knows, or where its next half begins: there it wakes
// the recorder.
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
  TraceRecord *records;
  TraceRing *ring;
  uint64_t written, limit, mask;
};

constexpr uint32_t rings_most = 2048;
Writer writers[rings_most];
__thread Writer *writer;
TraceFileHeader *file;
bool by_ticks;
std::atomic<uint32_t> sleeps{0}; // 1: the recorder does

/// A ring for this kernel thread; null if there is none left.
Writer *take_ring() {
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
  const RingView view = ring_of(header, index);
  view.ring->worker = skein_processor ? static_cast<int32_t>(skein_processor->index) : -1;
  writer = &writers[index];
  *writer = {const_cast<TraceRecord *>(view.records), view.ring, 0, 0, header->ring_records - 1};
  return writer;
}

/// Called where `limit` is reached. False: the ring is full.
bool make_room(Writer &mine) {
  const uint64_t half = (mine.mask + 1) / 2, n = mine.written;
  const uint64_t end = mine.ring->taken.load(std::memory_order_acquire) + mine.mask + 1; // pairs with the recorder's
  if (n && n % half == 0)
    rings_wake();
  if (n == end) {
    mine.ring->lost.store(mine.ring->lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
  }
  const uint64_t next = (n / half + 1) * half;
  mine.limit = next < end ? next : end;
  return true;
}

} // namespace

uint64_t trace_time() { return by_ticks ? ticks_now() : clock_ns(); }

void trace_record(TraceEvent event, uint64_t thread, uint64_t a, uint32_t b, uint16_t c) {
  Writer *mine = writer;
  if (__builtin_expect(!mine, 0) && !(mine = take_ring()))
    return;
  const uint64_t n = mine->written;
  if (__builtin_expect(n == mine->limit, 0) && !make_room(*mine))
    return;
  mine->records[n & mine->mask] = {by_ticks ? ticks_now() : clock_ns(), thread, a, b, c, static_cast<uint16_t>(event)};
  mine->written = n + 1;
  mine->ring->written.store(n + 1, std::memory_order_release); // pairs with the recorder's acquire
}

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
  __atomic_store_n(&file, header, __ATOMIC_RELEASE); // pairs with take_ring
}

void rings_abandon() {
  trace_classes_set(0);
  __atomic_store_n(&file, nullptr, __ATOMIC_RELAXED);
  writer = nullptr;
}

RingView ring_of(TraceFileHeader *header, uint32_t index) {
  char *at = reinterpret_cast<char *>(header) + header->rings_at +
             index * (sizeof(TraceRing) + header->ring_records * sizeof(TraceRecord));
  return {reinterpret_cast<TraceRing *>(at), reinterpret_cast<TraceRecord *>(at + sizeof(TraceRing))};
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
