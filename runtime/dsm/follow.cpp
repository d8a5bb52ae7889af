// Counts accesses, measures costs, and decides which thread moves to its data; see follow.h.
#include "dsm/follow.h"
#include "dsm/slices.h"
#include "migrate/move_clock.h"
#include "net/moves/exchange.h"
#include "net/moves/pushes.h"
#include "net/moves/steals.h"
#include "net/wire/link.h"
#include "sched/bundle.h"
#include "sched/sched.h"

#include <skein/policy.h>
#include <skein/shared_follow.h>
#include <skein/skein.h>

#include <algorithm>
#include <atomic>

namespace skein {

std::atomic<bool> follow_by_itself{false};

namespace {

constexpr uint64_t small_bytes = 64, large_bytes = 64 << 10;
constexpr uint8_t patience_most = 6;

// Running means. They begin with what is measured between two nodes of one host.
std::atomic<uint64_t> read_ns{5000};
std::atomic<uint64_t> large_ps{300}; // for each byte of a large read

void update_mean(std::atomic<uint64_t> &mean, uint64_t value) {
  const uint64_t was = mean.load(std::memory_order_relaxed);
  mean.store(was - was / 8 + value / 8, std::memory_order_relaxed);
}

uint64_t bytes_ns(uint64_t bytes) { return bytes * large_ps.load(std::memory_order_relaxed) / 1000; }

uint64_t move_ns(const Thread &thread) {
  const uint64_t arrived = move_times.arrived_ns.load(std::memory_order_relaxed);
  const uint64_t restored = move_times.restored_ns.load(std::memory_order_relaxed);
  const uint64_t work = restored > arrived && arrived ? std::min<uint64_t>(restored - arrived, 1000000) : 3000;
  return read_ns.load(std::memory_order_relaxed) / 2 + 2 * work + bytes_ns(live_bytes(thread));
}

uint32_t count_of(const Thread &thread, int owner) {
  for (const RemoteCount &count : thread.follow.remote)
    if (count.count && count.node == owner)
      return count.count;
  return 0;
}

/// Updates the vote for the node of most of the latest accesses.
void vote_for(Thread *thread, int owner) {
  RemoteCount &lately = thread->follow.lately;
  if (!lately.count)
    lately.node = owner;
  if (lately.node == owner)
    lately.count++;
  else
    lately.count--;
}

bool is_home(const Thread &thread) { return thread.follow_home == node.self + 1; }

bool move_pays(const Thread &thread) {
  if (thread.id == main_id && main_stays.load(std::memory_order_relaxed))
    return false;
  const uint64_t spent = thread.follow.lately.count * read_ns.load(std::memory_order_relaxed);
  return spent >> (is_home(thread) ? std::min(thread.follow_patience, patience_most) : 0) > move_ns(thread);
}

void double_patience(Thread *thread) {
  thread->follow_patience = static_cast<uint8_t>(std::min(thread->follow_patience + 1, int{patience_most}));
}

/// Sends the thread to `to`. False: it may not move, and stays.
bool move_to_data(Thread *thread, int to) {
  const uint8_t patience = thread->follow_patience;
  const uint16_t home = thread->follow_home;
  if (home == to + 1) {
    double_patience(thread);
  } else if (!is_home(*thread)) {
    thread->follow_home = static_cast<uint16_t>(node.self + 1);
    thread->follow_patience = 0;
  }
  const ThreadState was = thread->state.exchange(ThreadState::in_flight, std::memory_order_relaxed);
  Refusal why;
  if (exchange_ship(thread, to, false, {}, why))
    return true;
  thread->state.store(was, std::memory_order_relaxed);
  thread->follow.lately.count = 0; // so that the next try is not with the next access
  thread->follow_patience = home == node.self + 1 ? patience : uint8_t{0};
  thread->follow_home = static_cast<uint16_t>(node.self + 1);
  double_patience(thread);
  return false;
}

extern "C" Thread *skein_follow_call(Thread *self, uint64_t address, uint64_t bytes) {
  thread_error_clear(self);
  self->result = SKEIN_OK;
  const int keeper = slice_keeper(address);
  if (keeper < 0) {
    self->result =
        static_cast<uint64_t>(thread_error(self, SKEIN_EPOINTER, "skein_follow: that is no shared memory of this run"));
    return self;
  }
  if (slice_reachable(slice_owner(address)) || !link_takes(keeper))
    return self;
  const uint64_t reads = bytes ? (bytes + small_bytes - 1) / small_bytes : count_of(*self, keeper);
  if (reads * read_ns.load(std::memory_order_relaxed) <= move_ns(*self))
    return self;
  return push_self(self, keeper);
}

} // namespace

extern "C" unsigned skein_remote_accesses(int owner) {
  const Thread *self = thread_current();
  return self ? count_of(*self, owner) : 0;
}

extern "C" void skein_policy_follow(int on) { follow_by_itself.store(on != 0, std::memory_order_relaxed); }

bool follow_leaves_now(Thread *thread, uint64_t result) {
  const int to = thread->follow.lately.node;
  if (to == node.self || thread->bound || !move_pays(*thread) || !balancer.on() || !link_takes(to))
    return false;
  thread->result = result;
  return move_to_data(thread, to);
}

void follow_wake(Thread *thread, uint64_t result) {
  if (!follow_leaves(thread, result))
    thread_wake(thread, result);
}

void follow_count(Thread *thread, uint64_t address) {
  const int owner = slice_keeper(address); // this node itself, if it has just inherited the slice
  vote_for(thread, owner);
  RemoteCount *least = thread->follow.remote;
  for (RemoteCount &count : thread->follow.remote) {
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
    update_mean(read_ns, ns);
  else if (bytes >= large_bytes)
    update_mean(large_ps, ns * 1000 / bytes);
}

} // namespace skein
