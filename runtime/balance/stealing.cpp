// Work stealing: a node that has nothing to do asks others for threads. `random` asks any node (LDGM), `neighbour` only
// the two nodes beside it in the ring (LDLM). The receiver takes the initiative, and knows nothing but its own queue.
//
// An idle node asks one other node at a time, beginning at random, and goes on to the next when that one has nothing.
// After a round without success it waits: twice as long each time, from 1 to 256 ms, so that an idle run costs nothing.
// A node that had nothing remembers which nodes asked, and tells them when a thread has been created. So work that
// appears after a long quiet time spreads at once, and the waiting times matter only if that hint was not in time.
//
// At most one request of a node is under way, so answers never flood it.
//
// Rejected: each idle worker asks by itself (the first answer feeds all of them, since it brings half of what the
// victim has); lifelines in a hypercube (a run has few nodes, and each may ask each other one).
#include "base/node.h"

#include <skein/policy.h>

#include <algorithm>
#include <cstdint>

namespace {

using skein::node, skein::nodes_taken;

constexpr uint64_t wait_least = 1000000, wait_most = 256000000; // ns

// The thief.
bool asking;
uint64_t wait_ns = wait_least;
bool waiting; // for the next tick
int victim, victims_left;

// The victim: the nodes to which it had to refuse threads.
bool hungry[skein::nodes_max];
bool any_hungry;

/// Asks the next node of this round that can be asked.
void ask_next() {
  for (asking = false; !asking && victims_left > 0; victims_left--) {
    victim = (victim + 1) % nodes_taken();
    asking = skein_policy_steal(victim, 0);
  }
}

void begin_round() {
  if (asking || waiting || skein_policy_ready() > 0)
    return;
  victim = static_cast<int>(skein_policy_random(static_cast<unsigned>(nodes_taken())));
  victims_left = nodes_taken();
  ask_next();
}

/// The other neighbour.
int across(int neighbour) { return (2 * node.self - neighbour + 2 * nodes_taken()) % nodes_taken(); }

void ask_next_beside() {
  for (asking = false; !asking && victims_left > 0; victims_left--) {
    victim = across(victim);
    asking = skein_policy_steal(victim, 0);
  }
}

void begin_round_beside() {
  if (asking || waiting || skein_policy_ready() > 0)
    return;
  victim = (node.self + (skein_policy_random(2) ? 1 : nodes_taken() - 1)) % nodes_taken();
  victims_left = nodes_taken() > 2 ? 2 : 1;
  ask_next_beside();
}

void end_rounds() {
  asking = false;
  waiting = false;
  wait_ns = wait_least;
}

void begin_anew() {
  end_rounds();
  victims_left = 0;
  any_hungry = false;
  std::fill(hungry, hungry + node.count, false);
}

void wait_for_next_round() {
  asking = false;
  waiting = true;
  skein_policy_again(wait_ns);
  wait_ns = std::min(2 * wait_ns, wait_most);
}

void answered_for(unsigned threads, void (*ask)()) {
  if (threads > 0)
    return end_rounds();
  asking = false;
  if (skein_policy_ready() == 0)
    ask();
  if (!asking)
    wait_for_next_round();
}
void answered(int, unsigned threads) { answered_for(threads, ask_next); }
void answered_beside(int, unsigned threads) { answered_for(threads, ask_next_beside); }

void denied(int thief) {
  hungry[thief] = any_hungry = true;
  skein_policy_watch();
}

/// Tells the hungry nodes that there is work now.
void offer() {
  const char now = 1;
  for (int peer = 0; peer < node.count; peer++)
    if (hungry[peer]) {
      hungry[peer] = false;
      skein_policy_tell(peer, &now, sizeof now);
    }
  any_hungry = false;
}

uint64_t tick_for(void (*begin)()) {
  if (any_hungry && skein_policy_ready() > 0)
    offer();
  else if (any_hungry)
    skein_policy_watch();
  waiting = false;
  if (skein_policy_idle_workers() > 0) // a worker that becomes idle asks by itself
    begin();
  return UINT64_MAX;
}
uint64_t random_tick(uint64_t) { return tick_for(begin_round); }
uint64_t tick_beside(uint64_t) { return tick_for(begin_round_beside); }

void told_for(void (*begin)()) {
  wait_ns = wait_least;
  waiting = false;
  if (skein_policy_idle_workers() > 0)
    begin();
}
void random_told(int, const void *, size_t) { told_for(begin_round); }
void told_beside(int, const void *, size_t) { told_for(begin_round_beside); }

} // namespace

SKEIN_POLICY(random, .what = "LDGM, receiver", .start = begin_anew, .idle = begin_round, .tick = random_tick,
             .answered = answered, .denied = denied, .told = random_told);
SKEIN_POLICY(neighbour, .what = "LDLM, receiver", .start = begin_anew, .idle = begin_round_beside, .tick = tick_beside,
             .answered = answered_beside, .denied = denied, .told = told_beside);
SKEIN_POLICY(none, .what = "nothing by itself");
