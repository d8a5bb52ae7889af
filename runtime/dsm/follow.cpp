// Counting, measuring and deciding; see follow.h.
#include "dsm/follow.h"
#include "dsm/slices.h"
#include "migrate/move_times.h"
#include "net/link.h"
#include "net/pushes.h"
#include "sched/sched.h"

#include <skein/shared_follow.h>
#include <skein/skein.h>

#include <algorithm>
#include <atomic>

namespace skein {

namespace {

constexpr uint64_t small_bytes = 64, large_bytes = 64 << 10;

// Running means; relaxed, since nobody orders anything by them. At first what a run over shared memory measures.
std::atomic<uint64_t> read_ns{5000};
std::atomic<uint64_t> large_ps{300}; // of a byte

void learn(std::atomic<uint64_t> &mean, uint64_t value) {
  const uint64_t was = mean.load(std::memory_order_relaxed);
  mean.store(was - was / 8 + value / 8, std::memory_order_relaxed);
}

uint64_t bytes_ns(uint64_t bytes) { return bytes * large_ps.load(std::memory_order_relaxed) / 1000; }

uint64_t move_ns(const Thread &thread) {
  const uint64_t arrived = move_times.arrived_ns.load(std::memory_order_relaxed);
  const uint64_t restored = move_times.restored_ns.load(std::memory_order_relaxed);
  const uint64_t work = restored > arrived && arrived ? std::min<uint64_t>(restored - arrived, 1000000) : 3000;
  const auto stack = static_cast<uint64_t>(thread.stack.high - static_cast<std::byte *>(thread.sp));
  return read_ns.load(std::memory_order_relaxed) / 2 + 2 * work + bytes_ns(stack);
}

uint32_t count_of(const Thread &thread, int owner) {
  for (const RemoteCount &count : thread.remote)
    if (count.count && count.node == owner)
      return count.count;
  return 0;
}

extern "C" Thread *skein_follow_call(Thread *self, uint64_t address, uint64_t bytes) {
  thread_error_clear(self);
  self->result = SKEIN_OK;
  const int owner = slice_owner(address);
  if (owner < 0) {
    self->result =
        static_cast<uint64_t>(thread_error(self, SKEIN_EPOINTER, "skein_follow: that is no shared memory of this run"));
    return self;
  }
  if (slice_reachable(owner) || !link_alive(owner))
    return self;
  const uint64_t reads = bytes ? (bytes + small_bytes - 1) / small_bytes : count_of(*self, owner);
  if (reads * read_ns.load(std::memory_order_relaxed) <= move_ns(*self))
    return self;
  return push_self(self, owner);
}

} // namespace

extern "C" unsigned skein_remote_accesses(int owner) {
  const Thread *self = thread_current();
  return self ? count_of(*self, owner) : 0;
}

void follow_count(Thread *thread, int owner) {
  RemoteCount *least = thread->remote;
  for (RemoteCount &count : thread->remote) {
    if (count.count && count.node == owner) {
      count.count++;
      return;
    }
    if (count.count < least->count)
      least = &count;
  }
  *least = {owner, least->count + 1};
}

void follow_read_took(uint64_t bytes, uint64_t ns) {
  if (bytes <= small_bytes)
    learn(read_ns, ns);
  else if (bytes >= large_bytes)
    learn(large_ps, ns * 1000 / bytes);
}

} // namespace skein
