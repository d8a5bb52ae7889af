// The recorder; see recorder.h and file.h.
#include "trace/recorder.h"

#include "arch/x86_64/ticks.h"
#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "os/linux/futex.h"
#include "os/linux/memory.h"
#include "os/linux/mutex.h"
#include "os/linux/own_thread.h"
#include "thread/function_name.h"
#include "trace/rings.h"
#include "trace/trace.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace skein {

void (*recorder_classes_change)(uint32_t classes);
void (*recorder_samples)();
bool (*recorder_asks_clock)();

namespace {

constexpr uint32_t names_most = 4096;
constexpr uint64_t names_at = trace_header_bytes, rings_at = names_at + names_most * sizeof(TraceName);
constexpr uint32_t rings_besides_workers = 16;
// Node 0 is asked what time it is so often at first, and then more and more rarely.
constexpr uint64_t clock_question_first_ns = 10'000'000, clock_question_last_ns = 1'000'000'000;

TraceFileHeader *header;
size_t mapped_bytes;
int file = -1;
uint64_t file_end;
pthread_t recorder;
std::atomic<bool> ends{false};
std::atomic<bool> full{false};
Mutex working; // the recorder, or the node, which has halted
bool halted;   // the node has it

/// Appends a chunk. False: the file has no room for it.
bool append(TraceChunk chunk, const void *data, const void *more = nullptr, size_t more_bytes = 0) {
  static const char padding[8] = {};
  chunk.magic = trace_chunk_magic;
  const size_t used = chunk.bytes;
  chunk.bytes = static_cast<uint32_t>(round_up(used + more_bytes, 8));
  const iovec parts[] = {{&chunk, sizeof chunk},
                         {const_cast<void *>(data), used},
                         {const_cast<void *>(more), more_bytes},
                         {const_cast<char *>(padding), chunk.bytes - used - more_bytes}};
  const size_t bytes = sizeof chunk + chunk.bytes;
  if (full.load(std::memory_order_relaxed))
    return false;
  const ssize_t written = file_end - header->chunks_at + bytes > knobs.trace_most
                              ? 0
                              : pwritev(file, parts, sizeof parts / sizeof *parts, static_cast<off_t>(file_end));
  if (written != static_cast<ssize_t>(bytes)) {
    full.store(true, std::memory_order_relaxed);
    log("the trace is full, and goes on without events: %s",
        written < 0 ? strerror(errno)
                    : "trace_most is reached, or the disk is full (SKEIN_OPTIONS=trace_most=8G, or fewer classes)");
    return false;
  }
  file_end += bytes;
  return true;
}

void append_text(TraceTextKind kind, uint64_t key, const char *text) {
  const TraceText what = {kind, key};
  append({0, static_cast<uint32_t>(TraceChunkType::text), sizeof what, 0, 0, 0}, &what, text, strlen(text));
}

void explain(TraceTextKind kind, uint64_t key) {
  char name[128];
  append_text(kind, key,
              kind == TraceTextKind::function ? function_name(key, name, sizeof name)
                                              : trace_text_base + static_cast<int32_t>(key));
}

uint64_t count_events(const uint64_t *from, uint64_t words) {
  uint64_t count = 0;
  for (const uint64_t *const end = from + words; from != end && *from; from += TracePacking::words(*from))
    count += trace_is_event(TracePacking::event(*from));
  return count;
}

/// Takes what one ring holds. Events that the file has no room for are counted and forgotten.
void drain(uint32_t index) {
  const RingView view = ring_of(header, index);
  const uint64_t written = view.ring->written.load(std::memory_order_acquire); // pairs with trace_record
  uint64_t taken = view.ring->taken.load(std::memory_order_relaxed);
  const uint64_t size = header->ring_bytes, half = size / 2;
  while (taken < written) {
    const uint64_t at = taken % size, rest = half - at % half;
    const uint64_t bytes = written - taken < rest ? written - taken : rest;
    if (!append({0, static_cast<uint32_t>(TraceChunkType::records), static_cast<uint32_t>(bytes), index, taken, 0},
                view.words + at / sizeof(uint64_t)))
      header->discarded.fetch_add(count_events(view.words + at / sizeof(uint64_t), bytes / sizeof(uint64_t)),
                                  std::memory_order_relaxed);
    taken += bytes;
    view.ring->taken.store(taken, std::memory_order_release); // pairs with make_room
  }
}

void drain_all() {
  rings_each_new_name(explain);
  for (uint32_t i = 0, n = header->rings.load(std::memory_order_acquire); i < n; i++)
    drain(i);
}

/// What the time of records is in nanoseconds, at this moment: the closest of some readings.
void note_clock() {
  TraceClockPoint best = {0, 0, UINT64_MAX};
  for (int i = 0; i < 5; i++) {
    const uint64_t before = recorder_clock_ns(), time = trace_time(), after = recorder_clock_ns();
    if ((after - before) / 2 < best.error_ns)
      best = {time, before + (after - before) / 2, (after - before + 1) / 2};
  }
  append({0, static_cast<uint32_t>(TraceChunkType::clock), sizeof best, 0, 0, 0}, &best);
}

void *recorder_main(void *) {
  pthread_setname_np(pthread_self(), "skein-trace");
  rings_begin_recorder();
  const uint64_t period = knobs.trace_period_ms * 1'000'000;
  uint64_t due = clock_ns(), clock_due = due, clock_every = clock_question_first_ns;
  while (!ends.load(std::memory_order_acquire)) {
    working.lock();
    const uint64_t now = clock_ns();
    if (now >= due) {
      due = now + period;
      if (recorder_samples && trace_on(TraceClass::load))
        recorder_samples();
      note_clock();
    }
    if (now >= clock_due && recorder_asks_clock && recorder_asks_clock()) {
      clock_due = now + clock_every;
      if (clock_every < clock_question_last_ns)
        clock_every += clock_every / 2;
    }
    drain_all();
    working.unlock();
    const uint64_t then = clock_ns();
    if (then < due)
      rings_wait(due - then);
  }
  return nullptr;
}

/// At the end of the process.
void finish() {
  if (!header || header->process != static_cast<uint32_t>(getpid()))
    return;
  ends.store(true, std::memory_order_release);
  recorder_go_on();
  rings_wake();
  pthread_join(recorder, nullptr);
  trace_classes_set(0);
  if (recorder_samples && (header->classes & TraceClass::load))
    recorder_samples();
  drain_all();
  note_clock();
  header->finished.store(1, std::memory_order_release);
}

void in_child() {
  rings_abandon();
  header = nullptr;
  if (file >= 0)
    close(file);
  file = -1;
}

bool clock_is_ticks() {
  char source[16] = {};
  const int from = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (from < 0)
    return false;
  const ssize_t bytes = read(from, source, sizeof source - 1);
  close(from);
  // The kernel keeps to the processor's counter only while that agrees on all cores.
  return bytes > 0 && !strncmp(source, "tsc", 3) && ticks_steady();
}

void read_line(const char *path, char *to, size_t bytes) {
  const int from = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = from < 0 ? 0 : read(from, to, bytes - 1);
  to[got < 0 ? 0 : got] = 0;
  to[strcspn(to, "\n")] = 0;
  if (from >= 0)
    close(from);
}

void fill_header(uint32_t rings, uint64_t ring_bytes, uint32_t classes) {
  memcpy(header->magic, trace_file_magic, sizeof header->magic);
  header->node = static_cast<uint32_t>(node.self);
  header->nodes = static_cast<uint32_t>(node.count);
  header->process = static_cast<uint32_t>(getpid());
  header->names_most = names_most;
  header->rings_most = rings;
  header->ring_bytes = ring_bytes;
  header->names_at = names_at;
  header->rings_at = rings_at;
  header->chunks_at = file_end;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  header->wall_ns = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  read_line("/proc/sys/kernel/random/boot_id", header->host, sizeof header->host);
  if (knobs.fault == Fault::clock)
    header->host[0] = static_cast<char>('A' + node.self % 26);
  header->clock = clock_is_ticks() ? TraceClock::ticks : TraceClock::nanoseconds;
  header->classes = classes;
  const ssize_t bytes = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
  header->program[bytes < 0 ? 0 : bytes] = 0;
}

/// Makes the node's file and maps its first part. Returns why that is not possible, or null.
const char *make_file(const char *path, uint32_t rings, uint64_t ring_bytes, uint32_t classes) {
  file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return strerror(errno);
  const size_t bytes = round_up(4096 + names_most * sizeof(TraceName) + rings * (sizeof(TraceRing) + ring_bytes), 4096);
  // The room is allocated here, since a write to a mapped page for which the disk has none is a SIGBUS.
  if (int error = posix_fallocate(file, 0, static_cast<off_t>(bytes)))
    return strerror(error);
  void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED)
    return strerror(errno);
  header = static_cast<TraceFileHeader *>(at);
  file_end = mapped_bytes = bytes;
  fill_header(rings, ring_bytes, classes);
  return nullptr;
}

} // namespace

// For tests: as if each node were on a host of its own, whose clock began at another time and goes faster.
uint64_t recorder_clock_ns() {
  const uint64_t ns = clock_ns();
  if (knobs.fault != Fault::clock || node.self == 0)
    return ns;
  const auto self = static_cast<uint64_t>(node.self);
  return ns + self * 5'000'000'000 + ns / 20000 * self;
}

bool recorder_runs() { return header != nullptr; }

bool recorder_has(uint64_t address) { return header && address - reinterpret_cast<uint64_t>(header) < mapped_bytes; }

int recorder_file() { return file; }

bool recorder_halts() {
  halted = halted || !header || working.try_lock();
  return halted;
}

void recorder_go_on() {
  if (halted && header)
    working.unlock();
  halted = false;
}

void recorder_forget() {
  if (!header)
    return;
  working.reset();
  halted = false;
  rings_abandon();
  header = nullptr;
  file = -1;
}

void recorder_classes_set(uint32_t classes) {
  if (!header)
    return;
  header->classes |= classes;
  if (recorder_classes_change)
    recorder_classes_change(classes);
  trace_classes_set(classes);
}

void recorder_peer_clock(uint64_t asked_ns, uint64_t there_ns, uint64_t answered_ns) {
  const uint64_t round_trip = answered_ns - asked_ns;
  if (header && round_trip <= UINT32_MAX) // a slower answer says too little
    trace_record(TraceEvent::clock, there_ns, asked_ns, static_cast<uint32_t>(round_trip), 0);
}

void recorder_start() {
  if (!*knobs.trace_in)
    return;
  uint32_t classes;
  const char *unknown;
  int length;
  if (!trace_classes_parse(knobs.trace, classes, unknown, length)) {
    log("SKEIN_OPTIONS: trace=%s: there is no class \"%.*s\" (`skein trace --events` lists them)", knobs.trace, length,
        unknown);
    _exit(2);
  }
  mkdir(knobs.trace_in, 0777); // it may be there
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/node-%d", knobs.trace_in, node.self);
  uint64_t ring_bytes = 2048;
  while (ring_bytes * 2 <= knobs.trace_ring)
    ring_bytes *= 2;
  const uint64_t workers = knobs.workers ? knobs.workers : cores();
  if (const char *why = make_file(path, static_cast<uint32_t>(workers) + rings_besides_workers, ring_bytes, classes))
    fatal("SKEIN_OPTIONS: trace_in=%s: cannot make the file %s: %s", knobs.trace_in, path, why);
  rings_open(header, header->clock);
  note_clock();
  pthread_atfork(nullptr, nullptr, in_child);
  const int error = own_thread_start(recorder, recorder_main);
  if (error)
    fatal("cannot start the recorder of the trace: %s", strerror(error));
  atexit(finish);
  recorder_classes_set(classes);
}

} // namespace skein
