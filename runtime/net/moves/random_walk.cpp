// Where and when threads walk; see random_walk.h.
#include "net/moves/random_walk.h"

#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "base/random.h"
#include "migrate/stress.h"
#include "net/moves/pushes.h"
#include "net/moves/refused.h"

#include <cstdio>
#include <cstdlib>

namespace skein {

namespace {

struct Walk {
  SpinLock lock{Rank::leaf};
  uint64_t random = 0; // xorshift64; never 0 once started
  uint64_t points = 0; // migration points until the next walk
  uint64_t walks = 0;  // begun, refused ones too

  uint64_t draw() { return xorshift(random); }
  uint64_t distance() { return 1 + draw() % (2 * knobs.walk_every - 1); }
} walk;

void print_walks() {
  report("walk: node %d: %llu walks, %llu of them refused", node.self, static_cast<unsigned long long>(walk.walks),
         static_cast<unsigned long long>(refused_reasons()));
  refused_print_reasons("walk");
}

/// The node to which the thread that came to a migration point goes; this node if it stays, as where no node has the
/// number that was drawn.
int next_destination() {
  Guard guard(walk.lock);
  if (--walk.points != 0)
    return node.self;
  walk.points = walk.distance();
  walk.walks++;
  const int others = nodes_taken() - 1;
  int to = others > 0 ? static_cast<int>(walk.draw() % static_cast<uint64_t>(others)) : node.self;
  to += to >= node.self && others > 0;
  return link_takes(to) ? to : node.self;
}

Thread *walk_step(Thread *self) {
  const int to = next_destination();
  if (to == node.self)
    return self;
  // A thread that did not ask to leave stays with its open descriptors, as if it were stolen (thread_may_leave).
  if (const uint32_t open = self->descriptors.load(std::memory_order_relaxed)) {
    char why[80];
    std::snprintf(why, sizeof why, "it has %u open descriptors of this node", open);
    refused_add_reason(why);
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
    walk.draw(); // so that the sequences of neighbouring seeds differ
  walk.points = walk.distance();
  refused_count_reasons();
  stress_walk = walk_step;
  std::atexit(print_walks);
}

} // namespace skein
