// Steal requests, automatic and by API; see stealing.h.
#include "net/stealing.h"
#include "base/knobs.h"
#include "net/calls.h"
#include "net/exchange.h"
#include "net/progress.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace skein {

namespace {

constexpr uint64_t wait_least = 1000000, wait_most = 64000000; // ns
constexpr int hint_checks_most = 5;                            // a created thread is not ready yet when we hear of it

// --- the thief -------------------------------------------------------------------------------------------------------

std::atomic<bool> enabled{true};
std::atomic<bool> asking{false};      // an automatic request is under way; its owner may change what is below
std::atomic<uint64_t> next_ask_ns{0}; // not before then
std::atomic<uint64_t> wait_ns{wait_least};
int victim, victims_left; // of the round under way

void no_luck();

/// Ask `victim`. Owner of `asking` only.
void ask() {
  uint64_t request =
      call_begin({[](const Call &, const ReplyMessage *, size_t) { no_luck(); }, victim, nullptr, 0, nullptr, 0});
  link_tell<StealMessage>(victim, request, clock_ns(), 0u, 0u);
  call_sent(request);
}

/// The next victim of this round that lives.
bool next_victim() {
  while (victims_left-- > 0) {
    victim = (victim + 1) % node.count;
    if (victim != node.self && link_alive(victim))
      return true;
  }
  return false;
}

/// The victim had nothing, or nothing that was accepted here, or died.
void no_luck() {
  if (threads_ready() == 0 && enabled.load(std::memory_order_relaxed) && next_victim()) {
    ask();
    return;
  }
  uint64_t wait = wait_ns.load(std::memory_order_relaxed);
  next_ask_ns.store(clock_ns() + wait, std::memory_order_relaxed);
  wait_ns.store(std::min(2 * wait, wait_most), std::memory_order_relaxed);
  asking.store(false, std::memory_order_release); // pairs with the exchange in begin_round
  progress_wake_within(wait);
}

void begin_round() {
  if (asking.exchange(true, std::memory_order_acquire)) // pairs with the release where it ends
    return;
  victim = static_cast<int>(stealing_random() % static_cast<uint32_t>(node.count));
  victims_left = node.count;
  if (next_victim())
    ask();
  else
    asking.store(false, std::memory_order_release);
}

bool should_ask(uint64_t now) {
  return enabled.load(std::memory_order_relaxed) && !asking.load(std::memory_order_relaxed) &&
         now >= next_ask_ns.load(std::memory_order_relaxed) && threads_ready() == 0;
}

// --- the victim ------------------------------------------------------------------------------------------------------

uint8_t hungry[nodes_max]; // whom we had to disappoint; handlers and the progress thread, under drive or tick
std::atomic<uint32_t> hungry_count{0};
std::atomic<int> hint_checks{0}; // how often the progress thread will still look for something to offer

void remember_hungry(int peer) {
  if (__atomic_exchange_n(&hungry[peer], 1, __ATOMIC_RELAXED) == 0)
    hungry_count.fetch_add(1, std::memory_order_relaxed);
}

void on_thread_created(Thread *) {
  if (hungry_count.load(std::memory_order_relaxed) == 0)
    return;
  int none = 0;
  if (hint_checks.compare_exchange_strong(none, hint_checks_most, std::memory_order_relaxed))
    progress_wake_within(20000);
}

void offer() {
  for (int peer = 0; peer < node.count; peer++)
    if (__atomic_exchange_n(&hungry[peer], 0, __ATOMIC_RELAXED)) {
      hungry_count.fetch_sub(1, std::memory_order_relaxed);
      link_tell<WorkMessage>(peer);
    }
}

void on_steal(Arrival &arrival) {
  const auto &steal = arrival.body<StealMessage>();
  uint32_t most = steal.most;
  if (most == 0)
    most = static_cast<uint32_t>(std::min<uint64_t>((threads_ready() + 1) / 2, 4096));
  Loot loot = exchange_ship_ready(arrival.from, steal.request, std::max(most, 1u));
  if (loot.threads == 0) {
    remember_hungry(arrival.from);
    link_tell<NothingMessage>(arrival.from, steal.request);
  }
  count(statistics.steals_answered);
  uint64_t took = clock_ns() - steal.sent_ns;
  uint64_t longest = statistics.steal_answer_ns_max.load(std::memory_order_relaxed);
  while (took > longest &&
         !statistics.steal_answer_ns_max.compare_exchange_weak(longest, took, std::memory_order_relaxed))
    ;
}

void on_work(Arrival &) {
  wait_ns.store(wait_least, std::memory_order_relaxed);
  next_ask_ns.store(0, std::memory_order_relaxed);
  if (workers_idle() && should_ask(clock_ns()))
    begin_round();
}

// --- requests of the API ---------------------------------------------------------------------------------------------

void ask_for_thread(Thread *self, int peer, uint64_t more, decltype(Call::finish) finish) {
  uint64_t request = call_begin({finish, peer, self, more, nullptr, 0});
  link_tell<StealMessage>(peer, request, clock_ns(), 1u, 0u);
  call_sent(request);
}

/// Of skein_steal; Call::id says how many more nodes may be asked.
void finish_steal(const Call &call, const ReplyMessage *, size_t) {
  int peer = call.peer;
  for (uint64_t more = call.id; more > 0; more--) {
    peer = (peer + 1) % node.count;
    if (peer != node.self && link_alive(peer))
      return ask_for_thread(call.waiter, peer, more - 1, finish_steal);
  }
  wake_with_error(call.waiter, SKEIN_EEMPTY, "skein_steal: no node has a thread that is ready and may move");
}

void finish_steal_from(const Call &call, const ReplyMessage *, size_t) {
  if (link_alive(call.peer))
    wake_with_error(call.waiter, SKEIN_EEMPTY, "skein_steal_from: node %d has no thread that is ready and may move",
                    call.peer);
  else
    wake_with_error(call.waiter, SKEIN_EDEAD, "skein_steal_from: node %d died", call.peer);
}

void on_nothing(Arrival &arrival) {
  Call call;
  if (call_take(arrival.body<NothingMessage>().request, call))
    call.finish(call, nullptr, 0);
}

void set_enabled(bool on) {
  enabled.store(on, std::memory_order_relaxed);
  if (on)
    workers_wake();
}

void on_stealing(Arrival &arrival) { set_enabled(arrival.body<StealingMessage>().on != 0); }

extern "C" Thread *skein_stealing_set_call(Thread *self, uint64_t on_word) {
  uint64_t on = static_cast<int>(on_word) != 0;
  set_enabled(on);
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self)
      link_tell<StealingMessage>(peer, on);
  return self;
}

extern "C" Thread *skein_steal_call(Thread *self) {
  thread_error_clear(self);
  int peer = link_random_peer(stealing_random());
  if (peer < 0) {
    self->result = static_cast<uint64_t>(thread_error(self, SKEIN_EEMPTY, "skein_steal: there is no other node"));
    return self;
  }
  thread_block(self, "skein_steal", nullptr);
  ask_for_thread(self, peer, static_cast<uint64_t>(node.count - 1), finish_steal);
  return thread_next();
}

extern "C" Thread *skein_steal_from_call(Thread *self, uint64_t from_word) {
  int from = static_cast<int>(from_word);
  thread_error_clear(self);
  int code = SKEIN_OK;
  if (from < 0 || from >= node.count)
    code = thread_error(self, SKEIN_ENODE, "skein_steal_from: there is no node %d, only 0 to %d", from, node.count - 1);
  else if (from == node.self)
    code = thread_error(self, SKEIN_EEMPTY, "skein_steal_from: node %d is this node", from);
  else if (!link_alive(from))
    code = thread_error(self, SKEIN_EDEAD, "skein_steal_from: node %d is dead", from);
  if (code) {
    self->result = static_cast<uint64_t>(code);
    return self;
  }
  thread_block(self, "skein_steal_from", nullptr);
  ask_for_thread(self, from, 0, finish_steal_from);
  return thread_next();
}

} // namespace

void stealing_start() {
  link_handle<StealMessage>(on_steal);
  link_handle<NothingMessage>(on_nothing);
  link_handle<WorkMessage>(on_work);
  link_handle<StealingMessage>(on_stealing);
  events.thread_created.add(on_thread_created);
  if (!knobs.steal)
    enabled.store(false, std::memory_order_relaxed);
}

uint32_t stealing_random() {
  static std::atomic<uint64_t> state{0};
  uint64_t x = state.fetch_add(UINT64_C(0x9e3779b97f4a7c15), std::memory_order_relaxed) +
               static_cast<uint64_t>(node.self) + knobs.seed * 1000003;
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9); // splitmix64
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return static_cast<uint32_t>(x >> 32);
}

void stealing_when_idle() {
  uint64_t now = clock_ns(), next = next_ask_ns.load(std::memory_order_relaxed);
  if (should_ask(now))
    begin_round();
  else if (next > now && enabled.load(std::memory_order_relaxed))
    progress_wake_within(next - now);
}

void stealing_answered(uint64_t request, int, uint32_t accepted, uint32_t) {
  Call call;
  if (!call_take(request, call))
    return;
  if (accepted == 0)
    return call.finish(call, nullptr,
                       0); // all were refused here: as if there had been none, so that we wait longer and longer
  if (call.waiter) {
    thread_wake(call.waiter, SKEIN_OK);
    return;
  }
  wait_ns.store(wait_least, std::memory_order_relaxed);
  next_ask_ns.store(0, std::memory_order_relaxed);
  asking.store(false, std::memory_order_release); // pairs with the exchange in begin_round
}

uint64_t stealing_tick(uint64_t now) {
  uint64_t again = UINT64_MAX;
  if (hint_checks.load(std::memory_order_relaxed) > 0) {
    if (threads_ready() > 0) {
      offer();
      hint_checks.store(0, std::memory_order_relaxed);
    } else if (hint_checks.fetch_sub(1, std::memory_order_relaxed) > 1) {
      again = 100000;
    }
  }
  if (!enabled.load(std::memory_order_relaxed) || asking.load(std::memory_order_relaxed) || !workers_idle())
    return again; // a worker that becomes idle asks by itself
  if (should_ask(now))
    begin_round();
  else if (uint64_t next = next_ask_ns.load(std::memory_order_relaxed); next > now)
    again = std::min(again, next - now);
  return again;
}

} // namespace skein
