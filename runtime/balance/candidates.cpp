// Which thread a node lets go of when a policy says that one shall go, because of whom threads talk to. (The Testbed,
// section 4.2.1 and Figure 40: the decision maker knows summaries, and the node knows its threads. There threads with
// children and blocked ones do not move; here both may.)
#include "balance/policy.h"
#include "base/node.h"
#include "net/moves/pushes.h"
#include "sched/bundle.h"
#include "sched/talks.h"

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

unsigned push(uint64_t id, int to) {
  ThreadState state;
  Refusal why;
  const Order nobody_asks = {nullptr, 0, nullptr, "", /*go_on=*/true};
  const unsigned pushed = push_at_rest(id, to, nobody_asks, state, why) == Pushed::shipped;
  balance_note_pushed(to, pushed);
  return pushed;
}

} // namespace

} // namespace skein

using namespace skein;

extern "C" uint64_t skein_policy_talks(int peer) {
  return peer >= 0 && peer < node.count ? statistics.channels_sent[peer].load(std::memory_order_relaxed) : 0;
}

extern "C" unsigned skein_policy_push_talker(int to, int peer) {
  if (!skein_policy_peer(to))
    return 0;
  Search search = {peer};
  thread_each(look, &search);
  if (search.best == nobody)
    return 0;
  return push(search.id, to);
}

extern "C" size_t skein_policy_take_talks(skein_policy_talk *to, size_t most) {
  const size_t count = talks_take(to, most);
  for (size_t i = 0; i < count; i++)
    to[i].here = thread_with(to[i].thread, [](Thread *) {});
  return count;
}

extern "C" size_t skein_policy_runnable(uint64_t *to, size_t most) {
  struct List {
    uint64_t *to;
    size_t most, count;
  } list = {to, most, 0};
  const auto note = [](Thread *thread, void *context) {
    auto &[ids, room, count] = *static_cast<List *>(context);
    const ThreadState state = thread->state.load(std::memory_order_relaxed);
    if (state != ThreadState::ready && state != ThreadState::initialised && state != ThreadState::running)
      return;
    if (count < room)
      ids[count] = thread->id;
    count++;
  };
  thread_each(note, &list);
  return list.count;
}

extern "C" unsigned skein_policy_push_thread(int to, uint64_t id) {
  bool may = false;
  if (!skein_policy_peer(to) || !thread_with(id, [&](Thread *thread) { may = thread_may_leave(thread); }) || !may)
    return 0;
  return push(id, to);
}
