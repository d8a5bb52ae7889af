// The gradient model (GDLM, sender): a node with much to do sends to the neighbour on the shortest way to a node with
// nothing to do, which passes it on if it has enough itself. So load flows down a slope, a step at a time.
//
// Each node knows the load states that all have last told: *low* when a worker finds nothing to do (told to all), and
// *high* from three ready threads on (not told, since it is the high node that acts). A node that sends towards a low
// node no longer takes that one to be low, until it says so again. Others may send to it as well.
#include "base/node.h"

#include <skein/policy.h>

#include <algorithm>
#include <cstring>

namespace {

using skein::node, skein::nodes_taken;

constexpr uint64_t interval_ns = 1000000;
constexpr unsigned ready_high = 3;

bool low[skein::nodes_max]; // as far as this node knows
bool told_low;              // it has told so, and has not been given anything since, as far as it knows

void gradient_start() {
  std::fill(low, low + node.count, false);
  told_low = false;
}

void say_low() {
  const char state = 1;
  for (int peer = 0; peer < node.count; peer++)
    skein_policy_tell(peer, &state, sizeof state);
  told_low = true;
}

void gradient_idle() {
  if (told_low || skein_policy_ready() > 0)
    return;
  say_low();
  skein_policy_again(16 * interval_ns);
}

int nearest_low() {
  int nearest = -1;
  for (int peer = 0; peer < node.count; peer++)
    if (low[peer] && skein_policy_peer(peer) &&
        (nearest < 0 || skein_policy_distance(node.self, peer) < skein_policy_distance(node.self, nearest)))
      nearest = peer;
  return nearest;
}

/// The neighbour on the shortest way to `far`.
int towards(int far) {
  const int all = nodes_taken();
  int right = (node.self + 1) % all, left = (node.self + all - 1) % all;
  return skein_policy_distance(right, far) < skein_policy_distance(left, far) ? right : left;
}

/// Sends a load unit to each low node, beginning with the nearest.
void send_down() {
  for (int to; skein_policy_ready() >= ready_high && (to = nearest_low()) >= 0;) {
    low[to] = false;
    if (!skein_policy_push(towards(to), skein_policy_ready() / 3 + 1))
      return; // none of them may leave
  }
}

uint64_t gradient_tick(uint64_t) {
  if (skein_policy_ready() > 0) {
    told_low = false;
    send_down();
    return interval_ns;
  }
  if (skein_policy_idle_workers() == 0)
    told_low = false;
  skein_policy_watch();
  if (told_low)
    say_low(); // a node may have sent elsewhere what it had for this one
  return told_low ? 64 * interval_ns : 4 * interval_ns;
}

void gradient_told(int from, const void *data, size_t bytes) {
  char state = 0;
  if (bytes == sizeof state)
    memcpy(&state, data, sizeof state);
  low[from] = state == 1;
  send_down();
}

} // namespace

SKEIN_POLICY(gradient, .what = "GDLM, sender", .start = gradient_start, .idle = gradient_idle, .tick = gradient_tick,
             .told = gradient_told);
