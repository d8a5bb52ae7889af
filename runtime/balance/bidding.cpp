// Bidding (GDGM, receiver): a node with nothing to do bids for threads, at all nodes, for as many as it has idle
// workers. A node with several ready threads gives some to the highest bidder within a distance. The distance grows,
// millisecond by millisecond, as long as no node within it bids, and is one again after each deal. A bid is good once,
// for 100 ms.
//
// A bidder that gets nothing bids again after 1 to 64 ms.
#include "base/node.h"

#include <skein/policy.h>

#include <algorithm>
#include <cstring>

namespace {

using skein::node, skein::nodes_taken;

constexpr uint64_t interval_ns = 1000000, good_for_ns = 100 * interval_ns, wait_most = 64 * interval_ns;
constexpr unsigned ready_high = 2;

struct Bid {
  uint32_t workers; // 0: there is no bid
  uint64_t since_ns;
};

Bid bids[skein::nodes_max];
int distance_most = 1;
uint64_t now_ns; // the time of the last tick; bids are that exact
uint64_t wait_ns = interval_ns;
bool waiting; // for the next tick, while a bid is out

void bidding_start() {
  std::fill(bids, bids + node.count, Bid{});
  distance_most = 1;
  wait_ns = interval_ns;
  waiting = false;
}

void bid() {
  uint32_t workers = std::max(skein_policy_idle_workers(), 1u);
  for (int peer = 0; peer < node.count; peer++)
    skein_policy_tell(peer, &workers, sizeof workers);
  waiting = true;
  skein_policy_again(wait_ns);
  wait_ns = std::min(2 * wait_ns, wait_most);
}

void bidding_idle() {
  if (!waiting && skein_policy_ready() == 0)
    bid();
}

int best_bidder() {
  int best = -1;
  for (int peer = 0; peer < node.count; peer++)
    if (bids[peer].workers > 0 && now_ns < bids[peer].since_ns + good_for_ns && skein_policy_peer(peer) &&
        skein_policy_distance(node.self, peer) <= distance_most &&
        (best < 0 || bids[peer].workers > bids[best].workers))
      best = peer;
  return best;
}

void deal() {
  for (int to; skein_policy_ready() >= ready_high && (to = best_bidder()) >= 0;) {
    bids[to].workers = 0;
    distance_most = 1;
    if (!skein_policy_push(to, skein_policy_ready() / 2))
      return; // none of them may leave
  }
}

uint64_t bidding_tick(uint64_t now) {
  now_ns = now;
  waiting = false;
  if (skein_policy_ready() > 0)
    wait_ns = interval_ns;
  deal();
  if (skein_policy_ready() >= ready_high) {
    distance_most = std::min(distance_most + 1, nodes_taken());
    return interval_ns;
  }
  skein_policy_watch();
  if (skein_policy_ready() == 0 && skein_policy_idle_workers() > 0)
    bid();
  return skein_policy_ready() > 0 ? interval_ns : UINT64_MAX;
}

void bidding_told(int from, const void *data, size_t bytes) {
  uint32_t workers = 0;
  if (bytes == sizeof workers)
    memcpy(&workers, data, sizeof workers);
  bids[from] = {workers, now_ns};
  deal();
  if (skein_policy_ready() >= ready_high)
    skein_policy_again(interval_ns);
}

} // namespace

SKEIN_POLICY(bidding, .what = "GDGM, receiver", .start = bidding_start, .idle = bidding_idle, .tick = bidding_tick,
             .told = bidding_told);
