// Which thread a node lets go of when a policy says that one shall go, because of whom threads talk to. (The Testbed,
// section 4.2.1 and Figure 40: the decision maker knows summaries, and the node knows its threads. There threads with
// children and blocked ones do not move; here both may.)
#include "channels/traffic.h"
#include "net/moves/awaits.h"
#include "net/moves/exchange.h"
#include "sched/bundle.h"
#include "sync/waits.h"

#include <skein/policy.h>

namespace skein {

namespace {

/// How well a thread fits, best last.
enum Preference : int { nobody, any_ready, talks_away, waits_for_peer, talks_to_peer };

struct Search {
  int peer;
  Preference best = nobody;
  uint64_t id = 0;
};

Preference preference_of(const Thread &thread, int peer) {
  const ThreadState state = thread.state.load(std::memory_order_relaxed);
  const uint16_t last = thread.talking.last.load(std::memory_order_relaxed);
  const bool to_peer = peer >= 0 && last == peer + 1;
  if (state == ThreadState::ready || state == ThreadState::initialised)
    return to_peer ? talks_to_peer : last ? talks_away : any_ready;
  return state == ThreadState::blocked && to_peer ? waits_for_peer : nobody;
}

void look(Thread *thread, void *context) {
  auto &search = *static_cast<Search *>(context);
  if (search.best == talks_to_peer || !thread_may_leave(thread))
    return;
  if (const Preference preference = preference_of(*thread, search.peer); preference > search.best) {
    search.best = preference;
    search.id = thread->id;
  }
}

/// Sends a thread that was ready or waited a moment ago. False: it does not go.
bool send(uint64_t id, int to) {
  const Order nobody_asks = {nullptr, 0, nullptr, "", true};
  Refusal why;
  ThreadState state;
  if (Thread *thread = take_ready(id, &state)) {
    if (exchange_ship(thread, to, false, nobody_asks, why))
      return true;
    thread_ready(thread);
    return false;
  }
  if (state != ThreadState::blocked)
    return false;
  if (Thread *waiting = await_take(id, to)) {
    if (exchange_ship(waiting, to, false, nobody_asks, why))
      return true;
    await_again(waiting);
    return false;
  }
  Thread *thread = wait_take_away(id);
  if (thread && exchange_ship(thread, to, false, nobody_asks, why))
    return true;
  if (thread)
    thread_ready(thread);
  return false;
}

} // namespace

} // namespace skein

using namespace skein;

extern "C" uint64_t skein_policy_talks(int peer) { return peer >= 0 && peer < node.count ? traffic_to(peer) : 0; }

extern "C" unsigned skein_policy_push_talker(int to, int peer) {
  if (!skein_policy_peer(to))
    return 0;
  Search search = {peer};
  thread_each(look, &search);
  return search.best != nobody && send(search.id, to);
}
