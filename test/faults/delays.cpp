// This transport holds messages back, each for a time of its own; see faults.h. The messages lie in a heap by due time,
// since a flood holds thousands. `progress` is called by one kernel thread at a time, so only `held` is read by others.
#include "base/grow.h"
#include "base/random.h"
#include "faults.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>

namespace skein::faults {

namespace {

struct Held {
  uint64_t due_ns;
  int from;
  void *message;
  size_t bytes;
};

const skein_transport *inner;
skein_transport table;
skein_transport_setup above;
Held *heap;
size_t capacity;
std::atomic<size_t> held{0};
uint64_t most_ns;
uint64_t random_state;

uint64_t clock_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t random_next() { return xorshift(random_state); }

bool later(const Held &a, const Held &b) { return a.due_ns > b.due_ns; }

int hold(void *, int from, void *message, size_t bytes) {
  if (is_hello(message, bytes))
    return above.receive(above.context, from, message, bytes);
  // Half of the delays are short, so that waves of such messages overtake the others.
  uint64_t delay = random_next() % 2 ? random_next() % (most_ns + 1) : random_next() % (most_ns / 16 + 1);
  size_t count = held.load(std::memory_order_relaxed);
  if (!grow(heap, count, capacity, size_t{256}))
    out_of_memory(2 * capacity * sizeof(Held));
  heap[count] = {clock_ns() + delay, from, message, bytes};
  std::push_heap(heap, heap + count + 1, later);
  held.store(count + 1, std::memory_order_relaxed);
  return 1;
}

int open(const skein_transport_setup *setup, char *error, size_t error_bytes) {
  above = *setup;
  skein_transport_setup mine = *setup;
  mine.receive = hold;
  mine.at_once = nullptr; // no message is answered at once
  return inner->open(&mine, error, error_bytes);
}

unsigned progress(unsigned) {
  unsigned count = inner->progress(1);
  for (uint64_t now = clock_ns(); size_t left = held.load(std::memory_order_relaxed); count++) {
    if (heap[0].due_ns > now)
      break;
    std::pop_heap(heap, heap + left, later);
    held.store(left - 1, std::memory_order_relaxed);
    Held due = heap[left - 1];
    if (!above.receive(above.context, due.from, due.message, due.bytes))
      free(due.message);
  }
  return count;
}

/// Nothing that counts is held at the cut of a checkpoint, but heartbeats may be.
int forget() {
  for (size_t i = 0, count = held.exchange(0, std::memory_order_relaxed); i < count; i++)
    free(heap[i].message);
  return inner->forget();
}

int arm() { return held.load(std::memory_order_relaxed) ? 0 : inner->arm(); }

} // namespace

const skein_transport *with_delays(const skein_transport *wrapped, const skein_transport_faults &wanted) {
  inner = wrapped;
  table = *wrapped;
  table.open = open;
  table.progress = progress;
  table.arm = arm;
  table.forget = forget;
  most_ns = wanted.delay_us * 1000;
  random_state = random_begin(wanted.seed * 512 + static_cast<uint64_t>(wanted.self) + 1);
  return &table;
}

} // namespace skein::faults
