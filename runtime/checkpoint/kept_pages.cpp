// See kept_pages.h.
#include "checkpoint/kept_pages.h"
#include "base/log.h"
#include "checkpoint/slice_parts.h"
#include "dsm/slices.h"
#include "net/run/halting.h"
#include "net/run/joining.h"
#include "os/linux/futex.h"
#include "os/linux/own_thread.h"
#include "os/linux/write_faults.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t saved_at = slice_bytes, states_at = 2 * slice_bytes, header_at = states_at + slice_bytes / page;
static_assert(header_at + page == slice_file_bytes);

/// In the slice's memory file.
struct Header {
  std::atomic<uint32_t> unable;     // a process that has mapped the slice cannot keep pages
  std::atomic<uint32_t> generation; // of the copy that is made; 0: none is
  std::atomic<uint32_t> last;       // generation
  std::atomic<uint32_t> spoiled;    // a page of this generation was not kept
};

constexpr uint8_t generation_most = 63;
enum State : uint8_t { claimed = 1, saved = 2, written = 3 };
constexpr uint8_t value(uint8_t generation, State state) { return static_cast<uint8_t>(generation << 2 | state); }

/// A mapping of a slice's whole file, which nobody protects; null: not mapped.
std::atomic<char *> windows[SKEIN_SLICE_COUNT];
bool watched[SKEIN_SLICE_COUNT]; // the slice may be protected
bool able;                       // this process can keep pages
bool thread_runs;
int work = -1; // an eventfd: something is over
std::atomic<bool> giving_back{false};
bool protecting; // since the last cut; the progress thread's

char *window_of(int owner) { return windows[owner].load(std::memory_order_acquire); }
Header &header_of(char *window) { return *reinterpret_cast<Header *>(window + header_at); }
std::atomic<uint8_t> &state_of(char *window, uint64_t offset) {
  return *reinterpret_cast<std::atomic<uint8_t> *>(window + states_at + offset / page);
}

// --- states, which several processes change -------------------------------------------------------------------------

constexpr uint64_t patience_ns = 2'000'000'000;

/// Waits while somebody copies the page, and makes it the caller's to copy if nobody has. `claimed`: it is. Null: who
/// was copying it does not come to an end.
bool claim(std::atomic<uint8_t> &state, uint8_t generation, State &found) {
  uint64_t since = 0;
  for (;;) {
    uint8_t seen = state.load(std::memory_order_acquire); // pairs with the release of who copied the page
    if (seen >> 2 != generation) {
      if (!state.compare_exchange_weak(seen, value(generation, claimed), std::memory_order_acq_rel))
        continue;
      found = claimed;
      return true;
    }
    if ((seen & 3) != claimed) {
      found = static_cast<State>(seen & 3);
      return true;
    }
    const uint64_t now = clock_ns();
    since = since ? since : now;
    if (now - since > patience_ns)
      return false;
    sched_yield();
  }
}

void spoil(Header &header) { header.spoiled.store(1, std::memory_order_seq_cst); }

/// Before pages of [offset, offset + bytes) are written to, all of which have contents.
void save(int owner, char *window, uint64_t offset, uint64_t bytes) {
  Header &header = header_of(window);
  const auto generation = static_cast<uint8_t>(header.generation.load(std::memory_order_acquire));
  for (uint64_t at = offset; generation && at < offset + bytes; at += page) {
    if (header.spoiled.load(std::memory_order_relaxed))
      return;
    State found;
    if (!claim(state_of(window, at), generation, found))
      return spoil(header);
    if (found != claimed)
      continue;
    // A system call says that there is no memory, where an access would be the end of the process.
    if (pwrite(net_slice_file(owner), window + at, page, static_cast<off_t>(saved_at + at)) != page)
      return spoil(header);
    state_of(window, at).store(value(generation, saved), std::memory_order_release);
  }
}

// --- the kernel thread that serves who wants to write ---------------------------------------------------------------

constexpr unsigned together_most = 16; // pages that are saved at once for one who writes one after the other

void serve_writers() {
  static uint64_t expected;
  static unsigned together;
  for (uintptr_t address; write_faults_next(address);) {
    const uint64_t begin = address / page * page;
    const int owner = slice_owner(begin);
    char *window = owner < 0 ? nullptr : window_of(owner);
    SKEIN_ASSERT(window, "a page at 0x%llx is protected that nobody keeps", static_cast<unsigned long long>(begin));
    together = begin == expected ? std::min(2 * together, together_most) : 1;
    const uint64_t end = std::min(begin + together * page, slice_begin(owner) + slice_bytes);
    save(owner, window, begin - slice_begin(owner), end - begin);
    write_faults_let(begin, end - begin);
    expected = end;
  }
}

/// Lets all pages be written, in steps, since others wait meanwhile; and gives back what was saved of the slices that
/// this node keeps.
void give_back() {
  constexpr uint64_t step = 32 << 20;
  for (int owner = 0; owner < node.count; owner++) {
    char *window = window_of(owner);
    if (!window)
      continue;
    const int file = net_slice_file(owner);
    each_part(file, 0, slice_bytes, [&](uint64_t from, uint64_t to) {
      for (uint64_t at = from; at < to; at += step) {
        write_faults_let(slice_begin(owner) + at, std::min(step, to - at));
        serve_writers();
      }
      return true;
    });
    if (slice_kept(owner))
      fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, saved_at, header_at - saved_at);
  }
  giving_back.store(false, std::memory_order_release);
}

void *serve(void *) {
  for (;;) {
    pollfd files[] = {{write_faults_file(), POLLIN, 0}, {work, POLLIN, 0}};
    poll(files, 2, -1);
    serve_writers();
    uint64_t times;
    if (read(work, &times, sizeof times) == sizeof times)
      give_back();
  }
}

// --- protecting -----------------------------------------------------------------------------------------------------

bool protect(int owner, void (*found)(int owner, uint64_t begin, uint64_t end)) {
  if (!able)
    return false;
  if (!watched[owner])
    watched[owner] = write_faults_watch(slice_begin(owner), slice_bytes);
  return watched[owner] && each_part(net_slice_file(owner), 0, slice_bytes, [&](uint64_t from, uint64_t to) {
           if (found)
             found(owner, from, to);
           return write_faults_protect(slice_begin(owner) + from, to - from);
         });
}

/// Keeps the pages of a slice from here on, or says that this process cannot. In this order: the keeper sees that it
/// has to copy the slice, or the writer that the copy is spoiled.
void protect_or_tell(int owner, Header &header, void (*found)(int owner, uint64_t begin, uint64_t end)) {
  if (protect(owner, found))
    return;
  header.unable.store(1, std::memory_order_seq_cst);
  spoil(header);
}

/// A slice has been mapped, and nobody has touched it yet.
void on_mapped(int owner) {
  const int file = net_slice_file(owner);
  void *window = mmap(nullptr, slice_file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (window == MAP_FAILED)
    fatal("cannot map the memory file of node %d a second time: %s (ulimit -v?)", owner, strerror(errno));
  watched[owner] = false;
  windows[owner].store(static_cast<char *>(window), std::memory_order_release);
  Header &header = header_of(static_cast<char *>(window));
  if (!able)
    header.unable.store(1, std::memory_order_seq_cst);
  if (header.generation.load(std::memory_order_acquire))
    protect_or_tell(owner, header, nullptr);
}

/// Pages of a slice that this node keeps are about to lose their contents.
void on_clear(uint64_t address, uint64_t bytes) {
  const int owner = slice_owner(address);
  char *window = owner < 0 ? nullptr : window_of(owner);
  if (!window || !header_of(window).generation.load(std::memory_order_acquire))
    return;
  const uint64_t begin = address - slice_begin(owner);
  each_part(net_slice_file(owner), begin, begin + bytes, [&](uint64_t from, uint64_t to) {
    save(owner, window, from, to - from);
    return true;
  });
}

const char *busy(char *, size_t) {
  return giving_back.load(std::memory_order_acquire) ? "gives back what it kept of shared memory" : nullptr;
}

HaltPart halt_part = {busy, nullptr, nullptr};

void open_files() {
  const char *why = write_faults_start();
  work = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  able = !why && work >= 0;
  if (!able && node.self == 0)
    log("shared memory is copied while all nodes wait for a checkpoint: %s", why ? why : "there is no eventfd");
}

void start_thread() {
  pthread_t thread;
  if (!able || thread_runs)
    return;
  thread_runs = own_thread_start(thread, serve) == 0;
  if (!thread_runs)
    fatal("cannot start the kernel thread that keeps pages of shared memory");
  pthread_detach(thread);
}

bool slices_are_shared() { return net_slice_file(node.self) >= 0; }

} // namespace

void kept_pages_start() {
  if (!slices_are_shared())
    return;
  slice_has_been_mapped = on_mapped;
  slice_is_cleared = on_clear;
  halt_part_add(halt_part);
  open_files();
  for (int owner = 0; owner < node.count; owner++)
    if (slice_is_mapped(owner) && net_slice_file(owner) >= 0)
      on_mapped(owner);
  start_thread();
}

void kept_pages_reborn() {
  for (auto &window : windows)
    window.store(nullptr, std::memory_order_relaxed);
  thread_runs = able = protecting = false;
  giving_back.store(false, std::memory_order_relaxed);
  write_faults_reborn();
  if (slice_has_been_mapped)
    open_files();
}

void kept_pages_begin_again() {
  if (slice_has_been_mapped)
    start_thread();
}

void kept_pages_cut(void (*found)(int owner, uint64_t begin, uint64_t end)) {
  for (int owner = 0; owner < node.count; owner++) {
    char *window = window_of(owner);
    if (!window)
      continue;
    Header &header = header_of(window);
    if (slice_kept(owner))
      header.spoiled.store(0, std::memory_order_seq_cst);
    if (!header.unable.load(std::memory_order_seq_cst)) {
      protect_or_tell(owner, header, slice_kept(owner) ? found : nullptr);
      protecting = true;
    }
    if (slice_kept(owner) && !header.unable.load(std::memory_order_seq_cst)) {
      const uint32_t generation = header.last.load(std::memory_order_relaxed) % generation_most + 1;
      header.last.store(generation, std::memory_order_relaxed);
      header.generation.store(generation, std::memory_order_release);
    }
  }
}

uint8_t kept_pages_generation(int owner) {
  char *window = window_of(owner);
  return window ? static_cast<uint8_t>(header_of(window).generation.load(std::memory_order_relaxed)) : 0;
}

void kept_pages_over() {
  for (int owner = 0; owner < node.count; owner++)
    if (char *window = window_of(owner); window && slice_kept(owner))
      header_of(window).generation.store(0, std::memory_order_release);
  if (!protecting)
    return;
  protecting = false;
  giving_back.store(true, std::memory_order_release);
  const uint64_t once = 1;
  if (write(work, &once, sizeof once) != sizeof once)
    fatal("cannot wake the kernel thread that keeps pages of shared memory: %s", strerror(errno));
}

bool kept_pages_read(int owner, uint64_t offset, uint8_t generation, void *to) {
  char *window = window_of(owner);
  State found;
  if (header_of(window).spoiled.load(std::memory_order_relaxed) ||
      !claim(state_of(window, offset), generation, found) || found == written)
    return false;
  memcpy(to, window + offset + (found == saved ? saved_at : 0), page);
  if (found == claimed)
    state_of(window, offset).store(value(generation, written), std::memory_order_release);
  return true;
}

bool kept_pages_good(int owner, uint8_t generation) {
  const Header &header = header_of(window_of(owner));
  return !header.spoiled.load(std::memory_order_seq_cst) &&
         header.generation.load(std::memory_order_seq_cst) == generation;
}

bool kept_pages_has(uint64_t begin) {
  for (const auto &window : windows)
    if (char *at = window.load(std::memory_order_relaxed))
      if (begin - reinterpret_cast<uint64_t>(at) < slice_file_bytes)
        return true;
  return false;
}

} // namespace skein
