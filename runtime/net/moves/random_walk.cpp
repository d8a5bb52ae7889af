// See random_walk.h.
#include "net/moves/random_walk.h"

#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "base/random.h"
#include "migrate/refusal_counts.h"
#include "migrate/stress.h"
#include "net/moves/pushes.h"

#include <cstdio>
#include <cstdlib>

namespace skein {

namespace {

struct Walk {
  SpinLock lock{Rank::leaf};
  uint64_t random = 0; // xorshift64; never 0 once started
  uint64_t left = 0;   // migration points until somebody walks
  uint64_t walks = 0;  // begun, refused ones too
  RefusalCounts refusals;

  uint64_t draw() { return xorshift(random); }
  uint64_t distance() { return 1 + draw() % (2 * knobs.walk_every - 1); }
} walk;

void print() {
  report("walk: node %d: %llu walks, %llu of them refused", node.self, static_cast<unsigned long long>(walk.walks),
         static_cast<unsigned long long>(walk.refusals.all()));
  walk.refusals.print("walk");
}

void refused(const char *text) { walk.refusals.add(text); }

/// Where the thread goes from here: this node if it stays.
int destination() {
  Guard guard(walk.lock);
  if (--walk.left != 0)
    return node.self;
  walk.left = walk.distance();
  walk.walks++;
  int to = static_cast<int>(walk.draw() % static_cast<uint64_t>(node.count - 1));
  return to < node.self ? to : to + 1;
}

Thread *step(Thread *self) {
  const int to = destination();
  if (to == node.self)
    return self;
  // It did not ask to leave: as for a thief (thread_may_leave).
  if (const uint32_t open = self->descriptors.load(std::memory_order_relaxed)) {
    char why[80];
    std::snprintf(why, sizeof why, "it has %u open descriptors of this node", open);
    refused(why);
    return self;
  }
  return push_self(self, to);
}

} // namespace

void random_walk_start() {
  if (!knobs.walk || knobs.walk_every == 0)
    return;
  knobs.steal = false;
  walk.random = (knobs.seed * static_cast<uint64_t>(node.count) + static_cast<uint64_t>(node.self) + 1) *
                UINT64_C(0x9E3779B97F4A7C15);
  for (int i = 0; i < 8; i++)
    walk.draw(); // neighbouring seeds part
  walk.left = walk.distance();
  exchange_refused = refused;
  stress_walk = step;
  std::atexit(print);
}

} // namespace skein
