// Moves the stack of a thread at migration points, as a test; see stress.h.
#include "migrate/stress.h"

#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/once.h"
#include "base/random.h"
#include "migrate/leftovers.h"
#include "migrate/movable.h"
#include "migrate/outside.h"
#include "migrate/owned.h"
#include "migrate/refusal.h"
#include "migrate/relocate.h"
#include "migrate/unpack.h"
#include "migrate/unwind_check.h"
#include "private/regions/extents.h"
#include "sched/sched.h"
#include "thread/backtrace.h"

#include <atomic>
#include <new>
#include <pthread.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
// How many calls of __skein_stress remain on this kernel thread until the next move; stress.S counts it down. The first
// call always gets here and sets it.
__thread uint64_t skein_stress_left = 1;
}

namespace skein {

Thread *(*stress_walk)(Thread *self) = nullptr;

namespace {

// --- what happened --------------------------------------------------------------------------------------------------

SpinLock report_lock{Rank::leaf};
struct Report {
  MoveCounts counts;
  uint64_t moves = 0;
  std::atomic<size_t> heap_skipped{0}; // the most bytes of heap that were not searched before a move
  RefusalCounts refusals;
} counted;

void report_move(const MoveCounts &counts) {
  Guard guard(report_lock);
  ++counted.moves;
  counted.counts.frames += counts.frames;
  counted.counts.words += counts.words;
  counted.counts.pointers += counts.pointers;
}

void report_print() {
  if (size_t skipped = counted.heap_skipped.load(std::memory_order_relaxed))
    report("stress: up to %zu KiB of heap were not searched for addresses of the stack; raise stress_heap",
           skipped >> 10);
  const MapIndex &maps = program_maps();
  double sites = maps.site_count() ? (double)maps.site_count() : 1;
  report("stress: %llu moves, %llu frames, %llu words looked at, %llu pointers fixed, %llu moves refused",
         (unsigned long long)counted.moves, (unsigned long long)counted.counts.frames,
         (unsigned long long)counted.counts.words, (unsigned long long)counted.counts.pointers,
         (unsigned long long)counted.refusals.all());
  counted.refusals.print("stress");
  report("maps: %zu functions, %zu sites, %.1f bytes of map per site, %.1f bytes of index per site, indexed in %.0f us",
         maps.function_count(), maps.site_count(), maps.map_bytes() / sites, maps.index_bytes() / sites,
         maps.build_us());
  if (maps.site_count() >= 1000) // below, it is mostly the cost of one mmap
    report("maps: %.0f us of indexing per 10,000 sites", maps.build_us() * 1e4 / sites);
}

// --- moving ---------------------------------------------------------------------------------------------------------

// The distance to the next move: K on average, and never in a regular pattern.
uint64_t next_distance() {
  static __thread uint64_t state = 0;
  if (knobs.stress_every == 0)
    return UINT64_MAX;
  if (knobs.stress_every == 1)
    return 1;
  if (state == 0)
    state = knobs.seed * UINT64_C(0x9E3779B97F4A7C15) + (worker_current() ? worker_current()->index : 0) + 1;
  state ^= state << 13; // xorshift64
  state ^= state >> 7;
  state ^= state << 17;
  return 1 + state % (2 * knobs.stress_every - 1);
}

// One buffer for the images of all workers. It is kept, and is zero between moves, since it lies in the heap, which is
// searched for addresses.
Buffer *image_buffer;
pthread_mutex_t image_lock = PTHREAD_MUTEX_INITIALIZER; // held over search and move

bool move_through_image(Thread &thread, const Stack &fresh, MoveCounts &counts, Refusal &why) {
  bool checked = unwind_check_due();
  if (checked)
    unwind_check(thread, "before a move");
  ImageFault fault;
  bool moved = false;
  if (check_globals(thread, why) && image_write(thread, ModulesUsed(), *image_buffer, why))
    if (const ImageHeader *header = image_check(image_buffer->data(), image_buffer->size(), fault, why)) {
      private_depart(thread); // as if it had left
      moved = image_unpack(*header, fresh, thread, counts, fault, why);
      if (!moved)
        image_put_back(*header, thread);
    }
  if (image_buffer->size() != 0)
    memset(image_buffer->data(), 0, image_buffer->size());
  image_buffer->clear();
  if (moved && checked)
    unwind_check(thread, "after a move");
  return moved;
}

void start_stress() {
  if (knobs.stress_report)
    atexit(report_print);
  if (knobs.stress_heap != 0)
    outside_start();
  // The buffer is never destroyed, since threads may still move while the process exits.
  alignas(Buffer) static unsigned char storage[sizeof(Buffer)];
  image_buffer = new (storage) Buffer;
  leftovers_start();
}

bool heap_allows(const Thread &thread, Refusal &why) {
  if (knobs.stress_heap == 0)
    return true;
  size_t skipped;
  bool allowed = outside_allows(thread, knobs.stress_heap, &skipped, why);
  if (skipped > counted.heap_skipped.load(std::memory_order_relaxed))
    counted.heap_skipped.store(skipped, std::memory_order_relaxed);
  return allowed;
}

bool try_move(Thread &thread, const Stack &fresh, MoveCounts &counts, Refusal &why) {
  if (!fresh)
    return why.set(SKEIN_EMEMORY, "no fresh stack is left");
  if (!movable(thread, Journey::to_stack, why))
    return false;
  if (knobs.stress_via == StressVia::move)
    return heap_allows(thread, why) && thread_restack(thread, fresh, counts, why);
  pthread_mutex_lock(&image_lock);
  bool moved = heap_allows(thread, why) && move_through_image(thread, fresh, counts, why);
  pthread_mutex_unlock(&image_lock);
  return moved;
}

void move(Thread &thread) {
  static Once once;
  once(start_stress);

  Refusal why;
  MoveCounts counts;
  Stack old = thread.stack;
  void *old_sp = thread.sp;
  Stack fresh = stack_acquire_fresh(old);
  if (try_move(thread, fresh, counts, why)) {
    stack_retire(old, old_sp);
    report_move(counts);
    return;
  }
  if (fresh)
    stack_retire(fresh, fresh.high);
  counted.refusals.add(why.text);
  if (knobs.stress_refused == StressRefused::abort) {
    log("stress: a move was refused: %s", why.text);
    backtrace_log(thread, nullptr, 12);
    fflush(nullptr);
    _exit(stress_refused_status);
  }
}

} // namespace

} // namespace skein

using namespace skein;

extern "C" {

Thread *skein_stress_call(Thread *self, uint64_t, uint64_t, uint64_t, uint64_t) {
  if (stress_walk != nullptr) {
    skein_stress_left = 1;
    return stress_walk(self);
  }
  if (knobs.stress_every != 0)
    move(*self);
  const uint64_t distance = next_distance();
  // A heap of megabytes cannot be searched at every call, so moves become rarer.
  const uint64_t rest = knobs.stress_scan ? owned_bytes(*self) / knobs.stress_scan : 0;
  skein_stress_left = rest > distance ? rest : distance;
  return self;
}

// A program that ends this way runs no exit handlers; shells and daemons do so. Their moves are to be reported as well.
[[noreturn]] void __wrap__exit(int status) {
  if (knobs.stress_report)
    report_print();
  for (;;)
    syscall(SYS_exit_group, status);
}
[[noreturn]] void __wrap__Exit(int status) { __wrap__exit(status); }

} // extern "C"

// With check=stress a program need not have been compiled for it: threads move when they go on, too.
static void move_resumed(Thread *thread) {
  if (knobs.stress_every != 0 && --skein_stress_left == 0)
    skein_stress_call(thread, 0, 0, 0, 0);
}

void skein::stress_start() {
  if (knobs.check != Checks::stress)
    return;
  if (knobs.walk) // it moves them between nodes
    return;
  events.resumes = move_resumed;
  long_way(long_resumes, true);
}

extern "C" {
// On a kernel thread of the program's own there is nothing to move.
void skein_stress_outside() { skein_stress_left = 1; }
}
