// Heartbeats and deaths; see membership.h.
//
// Every node sends every other a heartbeat each knobs.heartbeat_ms. A node from which none came for the time of
// fifteen, 3 s at least, is suspected, and again after each further silence. The launcher then looks whether that node
// is dead or late. A whole run may be stopped (^Z) and go on: a node that notices that it was not running itself for a
// while gives all others new time.
#include "net/run/membership.h"
#include "base/knobs.h"
#include "base/log.h"
#include "net/messages/active.h"
#include "net/messages/calls.h"
#include "net/moves/awaits.h"
#include "net/moves/births.h"
#include "net/moves/exchange.h"
#include "net/run/agreement.h"
#include "net/run/halting.h"
#include "net/run/joining.h"
#include "net/run/leaving.h"
#include "net/run/progress.h"
#include "net/run/termination.h"
#include "net/wire/link.h"
#include "os/linux/futex.h"
#include "sched/sched.h"

#include <skein/deaths.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace skein {

Event<int> node_died;

namespace {

constexpr uint64_t silence_least_ns = UINT64_C(3000000000);
constexpr uint64_t end_delay_ns = 200000000; // time for threads that got SKEIN_EDEAD to report something

/// After a peer has ended its connection, the launcher has this long to say what has become of it.
constexpr uint64_t lost_ns = 1000000000;
/// A node that is killed while it writes into a queue of shared memory blocks that queue for all other writers
/// (Launcher::is_deaf), and their messages never come. So after a death a silent node is reported this many times as
/// often, once the first silence is over.
constexpr uint64_t haste_after_death = 6;
constexpr int cut_off_silences = 100; // a lost connection counts as so many silences: the node will not be heard again

struct Pulse {
  std::atomic<uint64_t> heard_ns;
  std::atomic<uint64_t> living;
  uint64_t handled;    // of its messages, when this node last looked
  int silences;        // how many were reported to the launcher since it was last heard
  uint64_t lost_at_ns; // 0: it is connected. A handler writes this and `lost_why`
  const char *lost_why;
};

Pulse *pulses;
int *dead; // in the order in which they died
std::atomic<int> dead_count{0};
uint64_t next_beat_ns, last_tick_ns;
std::atomic<bool> watching{false};
std::atomic<uint64_t> end_at_ns{0}; // 0: no node died, or the run goes on

uint64_t silence_ns() { return std::max(silence_least_ns, 15 * knobs.heartbeat_ms * 1000000); }

uint64_t between_reports_ns() { return deaths_known() == 0 ? silence_ns() : silence_ns() / haste_after_death; }

/// For tests (knob fault).
bool is_deaf() { return knobs.fault == Fault::deaf && node.self == 1 && deaths_known() != 0; }

void on_heartbeat(Arrival &arrival) {
  if (is_deaf())
    return;
  Pulse &pulse = pulses[arrival.from];
  pulse.heard_ns.store(clock_ns(), std::memory_order_relaxed);
  pulse.living.store(arrival.body<HeartbeatMessage>().living, std::memory_order_relaxed);
}

void look_for_silence(uint64_t now) {
  bool we_slept = last_tick_ns && now - last_tick_ns > silence_ns() / 2;
  for (int peer = 0; peer < node.count; peer++) {
    Pulse &pulse = pulses[peer];
    if (peer == node.self || !link_alive(peer))
      continue;
    if (pulse.lost_at_ns && now > pulse.lost_at_ns && now - pulse.lost_at_ns > lost_ns) {
      char why[160];
      snprintf(why, sizeof why, "is cut off (%s)", pulse.lost_why);
      pulse.lost_at_ns = 0;
      start_suspect(peer, pulse.silences = cut_off_silences, why);
      continue;
    }
    uint64_t heard = pulse.heard_ns.load(std::memory_order_relaxed);
    // Where a node has too little of a core, heartbeats wait behind thousands of other messages. These are signs, too.
    const uint64_t handled = is_deaf() ? 0 : link_handled(peer).all;
    if (we_slept || heard == 0 || handled != pulse.handled)
      pulse.heard_ns.store(heard = now, std::memory_order_relaxed);
    pulse.handled = handled;
    const uint64_t silence = heard < now ? now - heard : 0;
    if (silence <= silence_ns())
      pulse.silences = 0;
    else if (silence > silence_ns() + between_reports_ns() * static_cast<uint64_t>(pulse.silences))
      start_suspect(peer, ++pulse.silences, "has given no sign of life");
  }
}

/// A peer has sent something impossible. The launcher kills it and tells all nodes, this one included.
void on_rejected(int peer, const char *why) { start_reject(peer, why); }

/// A peer has ended its connection. Mostly it has died or has ended the run, and the launcher says so at once, with the
/// reason. So this waits for a moment before the peer is suspected.
void on_lost(int peer, const char *why) {
  pulses[peer].lost_why = why;
  pulses[peer].lost_at_ns = clock_ns();
}

} // namespace

void membership_start() {
  link_lost = on_lost;
  link_handle<HeartbeatMessage>(on_heartbeat);
  link_rejected = on_rejected;
  pulses = static_cast<Pulse *>(calloc(static_cast<size_t>(node.count), sizeof(Pulse)));
  dead = static_cast<int *>(calloc(static_cast<size_t>(node.count), sizeof *dead));
  dead_count.store(0, std::memory_order_relaxed);
  if (!pulses || !dead)
    fatal("out of memory for %d peers", node.count);
  watching.store(true, std::memory_order_release);
}

int deaths_known() { return dead_count.load(std::memory_order_acquire); }
int dead_node(int index) { return index >= 0 && index < deaths_known() ? dead[index] : -1; }

extern "C" int skein_deaths(void) { return deaths_known(); }
extern "C" int skein_dead_node(int index) { return dead_node(index); }

void membership_renew(bool reborn) {
  const uint64_t now = clock_ns();
  for (int peer = 0; peer < node.count; peer++) {
    Pulse &pulse = pulses[peer];
    pulse.heard_ns.store(now, std::memory_order_relaxed);
    pulse.silences = 0;
    if (reborn)
      pulse.lost_at_ns = 0;
    else if (pulse.lost_at_ns)
      pulse.lost_at_ns = now;
  }
  last_tick_ns = now;
  next_beat_ns = now;
}

void membership_stop() { watching.store(false, std::memory_order_relaxed); }

uint64_t membership_tick(uint64_t now) {
  const uint64_t end = end_at_ns.load(std::memory_order_relaxed);
  if (end && now >= end)
    _exit(fatal_status); // not exit(): a thread that computes may hold stdio's locks
  uint64_t until_end = end ? end - now : UINT64_MAX;
  if (!watching.load(std::memory_order_relaxed) || knobs.heartbeat_ms == 0 || net_is_silent())
    return until_end;
  if (now >= next_beat_ns) {
    uint64_t living = threads_living();
    for (int peer = 0; peer < node.count; peer++)
      if (peer != node.self)
        link_tell<HeartbeatMessage>(peer, living);
    look_for_silence(now);
    last_tick_ns = now;
    next_beat_ns = now + knobs.heartbeat_ms * 1000000;
  }
  return std::min(next_beat_ns - now, until_end);
}

namespace {

struct Death {
  int peer;
  bool survived;
};

/// Ends this process in a moment. Until then threads may still report something.
void end_soon() {
  watching.store(false, std::memory_order_relaxed);
  uint64_t none = 0;
  end_at_ns.compare_exchange_strong(none, clock_ns() + end_delay_ns);
  progress_wake_within(end_delay_ns);
}

/// Runs as a handler does: no other handler runs meanwhile.
void handle_death(void *context) {
  auto &death = *static_cast<Death *>(context);
  const int peer = death.peer;
  link_forget(peer);
  const int number = dead_count.load(std::memory_order_relaxed);
  dead[number] = peer;
  dead_count.store(number + 1, std::memory_order_release); // pairs with dead_node
  if (births_report_death(peer, pulses[peer].living.load(std::memory_order_relaxed)) && death.survived) {
    membership_main_lost(peer);
    death.survived = false;
  }
  exchange_fail(peer);
  active_fail(peer);
  leaving_fail(peer);
  termination_fail(peer);
  await_fail(peer);
  node_died(peer);
  agreement_fail(peer);
  calls_fail(peer);
}

} // namespace

void membership_died(int peer, const char *how) {
  Death death = {peer, knobs.deaths == Deaths::survive && peer != 0};
  log("node %d %s; the run %s", peer, how, death.survived ? "goes on without it" : "ends");
  link_exclusive(handle_death, &death);
  if (!death.survived)
    end_soon();
}

void membership_main_lost(int peer) {
  log("main was lost with node %d; the run ends", peer);
  end_soon();
}

} // namespace skein
