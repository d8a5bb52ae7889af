// Senders that know only themselves: as long as several threads are ready here, one load unit a millisecond goes to a
// node chosen at random, a neighbour (`local_random`, LDLM) or any node (`global_random`, LDGM). A load unit is a
// quarter of what is ready, but at least one thread, so that a great load spreads in a few steps. A node that gets too
// much sends it on.
//
// A node without ready threads does not tick: it looks again when a thread has been created there.
#include "base/node.h"

#include <skein/policy.h>

namespace {

using skein::node, skein::nodes_taken;

constexpr uint64_t interval_ns = 1000000;
constexpr unsigned ready_high = 2;

uint64_t tick_to(int to) {
  unsigned ready = skein_policy_ready();
  if (ready >= ready_high)
    skein_policy_push(to, ready / 4 + 1);
  if (ready > 0)
    return interval_ns;
  skein_policy_watch();
  return 16 * interval_ns; // threads that were pushed here, or made ready, do not call the policy
}

uint64_t tick_beside(uint64_t) {
  return tick_to((node.self + (skein_policy_random(2) ? 1 : nodes_taken() - 1)) % nodes_taken());
}

uint64_t tick_anywhere(uint64_t) {
  return tick_to((node.self + 1 + static_cast<int>(skein_policy_random(static_cast<unsigned>(nodes_taken() - 1)))) %
                 nodes_taken());
}

} // namespace

SKEIN_POLICY(local_random, .what = "LDLM, sender", .tick = tick_beside);
SKEIN_POLICY(global_random, .what = "LDGM, sender", .tick = tick_anywhere);
