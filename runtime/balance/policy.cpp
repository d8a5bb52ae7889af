// The functions that call the policy, and those that it calls; see policy.h.
#include "balance/policy.h"
#include "base/knobs.h"
#include "base/log.h"
#include "net/messages/active.h"
#include "net/moves/exchange.h"
#include "net/moves/steals.h"
#include "net/run/halting.h"
#include "net/run/newcomers.h"
#include "net/run/progress.h"
#include "os/linux/futex.h"
#include "sched/sched.h"
#include "sched/talks.h"

#include <skein/migration.h>
#include <skein/policy.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

// The policies of this room and of the program, which the linker puts one after the other.
extern "C" const skein_policy __start_skein_policies[] __attribute__((visibility("hidden")));
extern "C" const skein_policy __stop_skein_policies[] __attribute__((visibility("hidden")));

namespace skein {

namespace {

constexpr int looks_most = 5; // when a thread is created, it is not ready at once
constexpr uint64_t look_ns = 100000;

// Changes under link_exclusive, where its functions are called.
std::atomic<const skein_policy *> in_force{nullptr};
uint64_t turn; // how many policies have been in force before
std::atomic<bool> enabled{true};
std::atomic<bool> watching{false};     // the policy wants to hear of the next thread
std::atomic<int> looks{0};             // how often the progress thread will still look whether the thread is ready
std::atomic<uint64_t> next_tick_ns{0}; // UINT64_MAX: never

/// What the policy did, for the report.
struct Deeds {
  uint64_t asked[nodes_max], came[nodes_max]; // steals, and threads they brought
  uint64_t pushed[nodes_max];                 // threads
  uint64_t told;                              // messages
} deeds;

template <class Function> void exclusively(Function &&function) {
  run_exclusively([](void *context) { (*static_cast<std::remove_reference_t<Function> *>(context))(); }, &function);
}

bool on() { return enabled.load(std::memory_order_relaxed); }
/// While the node is silent nobody is asked or pushed to: a policy finds that nobody has or takes anything.
bool may_act() { return on() && !net_is_silent(); }

/// Null on a node alone.
const skein_policy *policy() { return in_force.load(std::memory_order_relaxed); }

uint64_t hash_of(const skein_policy &which) {
  uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
  for (const char *at = which.name; *at; at++)
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3u;
  return hash ? hash : 1;
}

template <class Wanted> const skein_policy *find_policy(Wanted &&wanted) {
  for (const skein_policy *known = __start_skein_policies; known < __stop_skein_policies; known++)
    if (wanted(*known))
      return known;
  return nullptr;
}

void policy_idle() {
  if (policy()->idle && may_act())
    exclusively([] {
      if (policy()->idle)
        policy()->idle();
    });
}

uint64_t policy_tick(uint64_t now) {
  if (!policy()->tick || !may_act())
    return UINT64_MAX;
  uint64_t again = UINT64_MAX;
  // A thread was created: the policy is called when the thread can be seen, or soon.
  if (looks.load(std::memory_order_relaxed) > 0) {
    if (threads_ready() > 0 || looks.fetch_sub(1, std::memory_order_relaxed) == 1) {
      looks.store(0, std::memory_order_relaxed);
      next_tick_ns.store(0, std::memory_order_relaxed);
    } else {
      again = look_ns;
    }
  }
  uint64_t next = next_tick_ns.load(std::memory_order_relaxed);
  if (next > now)
    return std::min(again, next == UINT64_MAX ? UINT64_MAX : next - now);
  next_tick_ns.store(UINT64_MAX, std::memory_order_relaxed);
  uint64_t wait = UINT64_MAX;
  exclusively([&] {
    if (policy()->tick)
      wait = policy()->tick(now);
  });
  if (wait != UINT64_MAX)
    skein_policy_again(wait);
  next = next_tick_ns.load(std::memory_order_relaxed);
  return std::min(again, next == UINT64_MAX ? UINT64_MAX : next > now ? next - now : 0);
}

void answered(int victim, uint32_t threads, uint64_t asked_in) {
  deeds.came[victim] += threads;
  exclusively([=] {
    if (policy()->answered && asked_in == turn)
      policy()->answered(victim, threads);
  });
}

void denied(int thief) {
  if (may_act())
    exclusively([=] {
      if (policy()->denied)
        policy()->denied(thief);
    });
}

void policy_told(int from, uint64_t which, const void *data, size_t bytes) {
  exclusively([=] {
    if (policy()->told && which == hash_of(*policy()))
      policy()->told(from, data, bytes);
  });
}

void on_thread_created(Thread *) {
  if (!watching.load(std::memory_order_relaxed) || !watching.exchange(false, std::memory_order_relaxed))
    return;
  looks.store(looks_most, std::memory_order_relaxed);
  progress_wake_within(20000);
}

void set_enabled(bool to) {
  enabled.store(to, std::memory_order_relaxed);
  if (!to)
    return;
  next_tick_ns.store(0, std::memory_order_relaxed);
  progress_wake_within(0);
  workers_wake();
}

/// In a handler. What the former policy has asked for is not told to the next one.
void put_in_force(const skein_policy *next) {
  if (next == policy())
    return;
  if (policy()->stop)
    policy()->stop();
  in_force.store(next, std::memory_order_relaxed);
  turn++;
  watching.store(false, std::memory_order_relaxed);
  looks.store(0, std::memory_order_relaxed);
  if (next->start)
    next->start();
}

void on_stealing(Arrival &arrival) {
  const auto message = arrival.body<StealingMessage>();
  if (message.policy) {
    const skein_policy *next = find_policy([&](const skein_policy &known) { return hash_of(known) == message.policy; });
    if (next)
      put_in_force(next);
    else
      log("node %d has put a policy in force that this program does not have; here %s stays", arrival.from,
          policy()->name);
  }
  set_enabled(message.on != 0);
}

/// Switches it on or off for the whole run; `next` may be null.
void tell_all(bool to, const skein_policy *next) {
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self)
      link_tell<StealingMessage>(peer, uint64_t{to}, next ? hash_of(*next) : 0);
}

/// A newcomer begins with the policy of its knobs; what is in force now may be another one.
void on_met(int newcomer) {
  if (node.self == 0)
    link_tell<StealingMessage>(newcomer, uint64_t{on()}, hash_of(*policy()));
}

extern "C" Thread *skein_stealing_set_call(Thread *self, uint64_t on_word) {
  if (policy())
    balance_set(static_cast<int>(on_word) != 0);
  return self;
}

/// Writes a row such as "3 to 1, 5 to 2".
void print_row(const char *what, const char *between, const uint64_t *row, const uint64_t *second = nullptr) {
  char text[512];
  size_t used = 0;
  for (int peer = 0; peer < node.count && used + 64 < sizeof text; peer++)
    if (row[peer] && second)
      used += static_cast<size_t>(snprintf(text + used, sizeof text - used, "%s%llu of %llu asked %s %d",
                                           used ? ", " : "", static_cast<unsigned long long>(second[peer]),
                                           static_cast<unsigned long long>(row[peer]), between, peer));
    else if (row[peer])
      used += static_cast<size_t>(snprintf(text + used, sizeof text - used, "%s%llu %s %d", used ? ", " : "",
                                           static_cast<unsigned long long>(row[peer]), between, peer));
  report("policy %s (%s): node %d: %s: %s", policy()->name, policy()->what ? policy()->what : "", node.self, what,
         used ? text : "none");
}

void print_deeds() {
  print_row("pushed threads", "to", deeds.pushed);
  print_row("stole threads", "from", deeds.asked, deeds.came);
  report("policy %s: node %d: told the others %llu times", policy()->name, node.self,
         static_cast<unsigned long long>(deeds.told));
}

/// The names of all policies of this program.
void list_policies(char *to, size_t bytes) {
  size_t used = 0;
  *to = 0;
  for (const skein_policy *known = __start_skein_policies; known < __stop_skein_policies && used + 64 < bytes; known++)
    used += static_cast<size_t>(snprintf(to + used, bytes - used, "%s%.40s", used ? ", " : "", known->name));
}

const skein_policy *find_by_name(const char *name) {
  return find_policy([=](const skein_policy &known) { return !strcmp(known.name, name); });
}

} // namespace

void balance_start() {
  const skein_policy *chosen = find_by_name(knobs.policy);
  if (!chosen) {
    char names[512];
    list_policies(names, sizeof names);
    fprintf(stderr, "skein: SKEIN_OPTIONS: policy=%s: there is no such policy in this program; it has %s\n",
            knobs.policy, names);
    _exit(2);
  }
  if (node.count == 1)
    return; // nobody to balance with
  in_force.store(chosen, std::memory_order_relaxed);
  if (!knobs.steal)
    enabled.store(false, std::memory_order_relaxed);
  balancer = {policy_idle, policy_tick, answered, denied, policy_told, may_act};
  link_handle<StealingMessage>(on_stealing);
  node_met.add(on_met);
  events.thread_created.add(on_thread_created);
  events.forked.add(talks_after_fork);
  if (knobs.policy_report)
    std::atexit(print_deeds);
  if (chosen->start)
    exclusively([] { policy()->start(); });
}

const char *balance_policy() { return policy() ? policy()->name : "none"; }
bool balance_is_on() { return policy() && on(); }

void balance_set(bool to) {
  set_enabled(to);
  tell_all(to, nullptr);
}

void balance_note_pushed(int to, unsigned threads) { deeds.pushed[to] += threads; }

bool balance_choose(const char *name, char *names, size_t bytes) {
  const skein_policy *next = find_by_name(name);
  if (!next) {
    list_policies(names, bytes);
    return false;
  }
  exclusively([=] { put_in_force(next); });
  set_enabled(on());
  tell_all(on(), next);
  return true;
}

// --- what policies call ----------------------------------------------------------------------------------------------

extern "C" {

unsigned skein_policy_ready(void) { return static_cast<unsigned>(threads_ready()); }

unsigned skein_policy_load(void) {
  uint32_t idle_ones = skein_policy_idle_workers(), all = workers_count();
  return skein_policy_ready() + (all > idle_ones ? all - idle_ones : 0);
}

unsigned skein_policy_workers(void) { return workers_count(); }

unsigned skein_policy_idle_workers(void) { return workers_resting(); }

unsigned skein_policy_push(int to, unsigned most) {
  if (!skein_policy_peer(to) || !may_act())
    return 0;
  unsigned threads = exchange_ship_ready(to, 0, most, {}, {nullptr, 0, nullptr, "", true}).threads;
  balance_note_pushed(to, threads);
  return threads;
}

int skein_policy_steal(int from, unsigned most) {
  // A node that is about to leave is asked, too, but does not ask.
  if (from < 0 || from >= node.count || from == node.self || !link_alive(from) || !link_takes(node.self) || !may_act())
    return 0;
  deeds.asked[from]++;
  steal_for_policy(from, most, turn);
  return 1;
}

void skein_policy_tell(int to, const void *data, size_t bytes) {
  if (!skein_policy_peer(to) || bytes > policy_most)
    return;
  auto *message = message_new<PolicyMessage>(bytes);
  message->policy = hash_of(*policy());
  memcpy(message + 1, data, bytes);
  link_send(to, message, bytes);
  deeds.told++;
}

void skein_policy_again(uint64_t ns) {
  uint64_t wanted = clock_ns() + ns;
  if (wanted >= next_tick_ns.load(std::memory_order_relaxed))
    return;
  next_tick_ns.store(wanted, std::memory_order_relaxed);
  progress_wake_within(ns);
}

void skein_policy_watch(void) { watching.store(true, std::memory_order_relaxed); }

unsigned skein_policy_random(unsigned below) { return below ? steals_random() % below : 0; }

int skein_policy_peer(int peer) {
  return peer >= 0 && peer < node.count && peer != node.self && link_takes(peer) && link_takes(node.self);
}

int skein_policy_distance(int a, int b) {
  int there = a < b ? b - a : a - b;
  return std::min(there, nodes_taken() - there);
}
}

} // namespace skein
