// The rounds of counting, and what follows from them; see termination.h.
#include "net/run/termination.h"
#include "base/log.h"
#include "base/uneven_barrier.h"
#include "net/messages/calls.h"
#include "net/moves/outbox.h"
#include "net/moves/pushes.h"
#include "net/moves/steals.h"
#include "net/run/newcomers.h"
#include "net/run/progress.h"
#include "net/wire/link.h"
#include "os/linux/futex.h"
#include "private/library/kernel_threads.h"
#include "sched/deadlock.h"
#include "sched/sched.h"

#include <skein/messages.h>

#include <algorithm>
#include <atomic>
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr uint64_t wait_least = 200000, wait_most = 20000000; // ns
constexpr uint64_t quiesce_wait_least = 50000;
// How often node 0 checks whether it is at rest. Two workers that become idle at the same time may not see each other.
constexpr uint64_t look_ns = wait_most;

constexpr uint64_t stand_least_ns = 1000000000, stand_most_ns = UINT64_C(60000000000), stand_look_ns = 500000000;
enum Rest : uint64_t { works = 0, rests = 1, rests_for_good = 2 }; // CountedMessage's at_rest

std::atomic<bool> main_over{false};   // as far as this node knows
std::atomic<bool> rest_wanted{false}; // a round found this node not at rest: it must report when it is

struct Counters {
  uint64_t living;
  Traffic traffic;
  Rest rest;
};

bool at_rest_here() {
  const uint64_t told = raids_told();
  // The workers must be looked at first: what their threads left to be sent is then seen in messages_about_to_leave, or
  // is counted as sent.
  return workers_at_rest() && !outbox_holds() && raids_begun() == told &&
         !(messages_about_to_leave && messages_about_to_leave()) && !(deadlines_pending && deadlines_pending());
}

/// The counts of this node. In a handler.
Counters counters() {
  Counters here{};
  // Rest must be looked at first: a message that comes to a node at rest is handled after this handler, and counted
  // then.
  here.rest = !at_rest_here() ? works : kernel_threads_ever() ? rests : rests_for_good;
  here.living = threads_living();
  here.traffic = link_traffic();
  return here;
}

// Of node 0; used in handlers and in the progress thread's tick, which exclude each other by `lock`.
struct Round {
  uint64_t number = 0;
  int missing = 0; // answers that have not come
  std::bitset<nodes_max> answered;
  uint64_t living = 0, sent = 0, handled = 0;
  uint64_t view = 0;  // which nodes are there
  bool agreed = true; // all nodes know the same of that
  bool at_rest = true, for_good = true;
  int busy = 0; // nodes that were not at rest and have not reported that they are

  void add(const Counters &node) {
    living += node.living;
    sent += node.traffic.sent;
    handled += node.traffic.handled;
    agreed &= node.traffic.view == view;
    at_rest &= node.rest != works;
    for_good &= node.rest == rests_for_good;
  }
};

/// A thread that waits for the run to be at rest.
struct Asker {
  Asker *next;
  int from;
  uint64_t call;
};

SpinLock lock{Rank::net};
Round round, before; // before: the last complete one
Asker *askers;
std::atomic<bool> asked{false}; // threads wait for rest
uint64_t next_round_ns, wait_ns = wait_least, quiesce_wait_ns = quiesce_wait_least;
bool finished;
// When node 0 looks whether the run stands: since when it has been at rest, and the next time. 0: it is not at rest, or
// no time is set.
uint64_t rest_begun_ns, stand_next_ns, stand_wait_ns = stand_least_ns;
std::atomic<int> standing_missing{0}; // nodes that have not reported yet which threads wait there
void (*when_finished)(int status);

void on_thread_ended(Thread *thread) {
  if (thread->id == main_id && node.self != 0)
    link_tell<MainEndedMessage>(0, static_cast<int64_t>(static_cast<int>(thread->result)));
}

void on_main_ended(Arrival &arrival) {
  if (main_has_ended() || thread_with(main_id, [](Thread *) {}))
    return link_reject(arrival.from, MessageType::main_ended, "main has ended before, or is on this node");
  main_ended(static_cast<int>(arrival.body<MainEndedMessage>().status));
}

/// No thread lives on this node, or main has ended, which node 0 learns first.
void check() {
  if (node.self != 0) {
    if (main_over.load(std::memory_order_relaxed))
      link_tell<QuietMessage>(0);
    return;
  }
  if (!main_has_ended())
    return;
  if (!main_over.exchange(true))
    for (int peer = 1; peer < node.count; peer++)
      link_tell<QuietMessage>(peer);
  {
    Guard guard(lock);
    wait_ns = wait_least;
    next_round_ns = 0;
  }
  progress_wake_within(0);
}

/// On node 0: a newcomer was not there when the others were told that main has returned.
void on_met(int newcomer) {
  if (node.self == 0 && main_over.load(std::memory_order_relaxed))
    link_tell<QuietMessage>(newcomer);
}

void on_quiet(Arrival &) {
  if (node.self != 0) {
    main_over.store(true, std::memory_order_relaxed);
    if (threads_living() == 0)
      link_tell<QuietMessage>(0);
    return;
  }
  Guard guard(lock);
  int &busy = round.missing > 0 ? round.busy : before.busy;
  busy -= busy > 0;
  if (busy > 0 && !main_has_ended())
    return; // a round now would only find that others live
  wait_ns = wait_least;
  quiesce_wait_ns = quiesce_wait_least;
  stand_next_ns = 0;
  next_round_ns = 0; // the tick comes after this drive
}

// --- rounds ----------------------------------------------------------------------------------------------------------

void on_count(Arrival &arrival) {
  rest_wanted.store(true, std::memory_order_relaxed);
  barrier_heavy(); // partner: the light one in termination_idle
  Counters here = counters();
  if (here.rest != works)
    rest_wanted.store(false, std::memory_order_relaxed);
  link_tell<CountedMessage>(arrival.from, arrival.body<CountMessage>().round, here.living, here.traffic.view,
                            here.traffic.sent, here.traffic.handled, uint64_t{here.rest});
}

/// The round is complete. Decides what follows from it and the one before. Under the lock; returns the threads that
/// must be told that the run is at rest.
Asker *conclude(uint64_t &wait, bool &stands) {
  // Whether no message was under way between the rounds, at any node.
  const bool same_nodes = before.agreed && round.agreed && before.view == round.view;
  const bool no_message = before.number && same_nodes && before.handled == round.sent;
  Asker *told = nullptr;
  if (no_message && before.at_rest && round.at_rest) {
    told = askers;
    askers = nullptr;
    asked.store(false, std::memory_order_relaxed);
    quiesce_wait_ns = quiesce_wait_least;
  }
  finished = main_has_ended() && no_message && before.living == 0 && round.living == 0;
  const bool expected = round.living > 0 || !main_has_ended(); // if none lives, main was lost, and no node has seen how
  const bool rested = no_message && before.at_rest && round.at_rest && !told && expected;
  stands = rested && before.for_good && round.for_good;
  finished |= stands;
  // The second of two rounds follows at once if it may be the last.
  const bool no_message_now = round.agreed && round.sent == round.handled;
  const bool may_finish = main_has_ended() && round.living == 0 && no_message_now;
  const bool may_rest = askers && round.at_rest && no_message_now;
  const bool may_stand = round.for_good && expected && no_message_now && !rested;
  wait = may_finish || may_rest || may_stand ? 0 : askers ? std::min(wait_ns, quiesce_wait_ns) : wait_ns;
  if (wait) {
    wait_ns = std::min(2 * wait_ns, wait_most);
    quiesce_wait_ns = std::min(2 * quiesce_wait_ns, wait_most);
  }
  const uint64_t now = clock_ns();
  next_round_ns = now + wait;
  stand_next_ns = may_stand ? now : now + stand_wait_ns;
  if (!may_stand)
    stand_wait_ns = std::min(2 * stand_wait_ns, stand_most_ns);
  before = round;
  return told;
}

void answer(Asker *asker, int code, const char *text) {
  while (asker) {
    call_reply(asker->from, asker->call, static_cast<uint64_t>(code), text, strlen(text));
    Asker *next = asker->next;
    free(asker);
    asker = next;
  }
}

/// A node's counts have come. True if they were the last: then the caller must call round_over. Under the lock.
bool add(const Counters &counters) {
  round.add(counters);
  return --round.missing == 0;
}

/// A node has reported which threads wait there, or has died.
void said(const Call &, const ReplyMessage *, size_t) {
  if (standing_missing.fetch_sub(1, std::memory_order_relaxed) == 1)
    when_finished(fatal_status);
}

void on_stand(Arrival &arrival) {
  standing();
  call_reply(arrival.from, arrival.body<StandMessage>().call, SKEIN_OK);
}

/// The run stands: node 0 asks all others to report which threads wait there.
void tell_standing() {
  if (before.living == 0)
    log("deadlock: no thread lives on any node, and main has not ended: it was lost");
  else
    log("deadlock: every thread on every node waits, and nobody is left to wake one");
  standing_missing.store(1, std::memory_order_relaxed);
  for (int peer = 1; peer < node.count; peer++) {
    if (!link_alive(peer))
      continue;
    standing_missing.fetch_add(1, std::memory_order_relaxed);
    const uint64_t call = call_begin({said, peer, nullptr, 0, nullptr, 0});
    link_tell<StandMessage>(peer, call);
    call_sent(call);
  }
  standing();
  said({}, nullptr, 0);
}

void round_over() {
  uint64_t wait = 0;
  bool stands = false;
  Asker *told;
  {
    Guard guard(lock);
    told = conclude(wait, stands);
  }
  answer(told, SKEIN_OK, "");
  if (stands)
    tell_standing();
  else if (finished)
    when_finished(main_status());
  else
    progress_wake_within(wait);
}

void on_counted(Arrival &arrival) {
  const auto &said = arrival.body<CountedMessage>();
  bool last;
  {
    Guard guard(lock);
    if (said.round < round.number || (said.round == round.number && round.missing == 0 && !link_all_alive()))
      return; // a round that a death has ended
    if (said.round > round.number || round.answered[static_cast<size_t>(arrival.from)])
      return link_reject(arrival.from, MessageType::counted, "it answers round %llu, the latest is %llu%s",
                         static_cast<unsigned long long>(said.round), static_cast<unsigned long long>(round.number),
                         said.round > round.number ? "" : ", which it has answered before");
    if (round.missing == 0)
      return;
    round.answered[static_cast<size_t>(arrival.from)] = true;
    round.busy += said.at_rest == works;
    last = add({said.living, {said.sent, said.handled, said.view, 0}, static_cast<Rest>(said.at_rest)});
  }
  if (last)
    round_over();
}

/// In a handler, so that no other handler runs between two looks at this node.
void begin_round(void *) {
  uint64_t number;
  bool last;
  Counters here = counters();
  {
    Guard guard(lock);
    if (finished || round.missing > 0)
      return; // a worker and the progress thread found at the same time that a round was due
    number = round.number + 1;
    round = Round{};
    round.number = number;
    round.view = here.traffic.view;
    round.missing = here.traffic.nodes;
    last = add(here);
  }
  for (int peer = 1; peer < node.count; peer++)
    if (link_alive(peer))
      link_tell<CountMessage>(peer, number);
  if (last) // no other node lives
    round_over();
}

// --- quiescence ------------------------------------------------------------------------------------------------------

void add_asker(int from, uint64_t call) {
  auto *asker = static_cast<Asker *>(message_memory(sizeof(Asker)));
  {
    Guard guard(lock);
    *asker = {askers, from, call};
    askers = asker;
    asked.store(true, std::memory_order_relaxed);
    quiesce_wait_ns = quiesce_wait_least;
    next_round_ns = 0;
  }
  barrier_heavy(); // partner: the light one in termination_idle
  progress_wake_within(0);
}

void on_quiesce(Arrival &arrival) { add_asker(arrival.from, arrival.body<QuiesceMessage>().call); }

extern "C" Thread *skein_quiesce_call(Thread *self) {
  thread_error_clear(self);
  thread_block(self, "skein_quiesce", nullptr);
  uint64_t call = call_begin({finish_with_code, 0, self, 0, nullptr, 0});
  if (node.self == 0)
    add_asker(0, call);
  else
    link_tell<QuiesceMessage>(0, call);
  call_sent(call);
  return thread_next();
}

/// In a run of one node: every thread waits, also those that wait for rest. Two workers may find that at the same time.
/// Then the second one must not count the threads that the first is about to wake as waiting. Nor is the run at rest
/// while a thread is about to be woken, so the first worker looks again when it has woken all.
bool rest_alone(bool sure) {
  static unsigned telling; // under the lock: workers that have taken askers and not woken them all yet
  do {
    Asker *told;
    {
      Guard guard(lock);
      if (!askers || !sure || telling)
        return askers || telling;
      told = askers;
      askers = nullptr;
      telling++;
    }
    answer(told, SKEIN_OK, "");
    Guard guard(lock);
    telling--;
  } while (workers_at_rest());
  return true;
}

/// main is about to end, or registers something to be done then. Exit handlers belong to a process, and must find
/// main's variables there.
extern "C" Thread *skein_home_call(Thread *self) {
  return when_finished && self->id == main_id && node.self != 0 && link_alive(0) ? push_self(self, 0) : self;
}

} // namespace

void termination_start_alone() { events.at_rest = rest_alone; }

void termination_after_fork() { when_finished = nullptr; }

Event<> standing;
bool (*messages_about_to_leave)();
bool (*deadlines_pending)();

void termination_start(void (*over)(int status)) {
  when_finished = over;
  standing.add(log_waiters);
  link_handle<StandMessage>(on_stand);
  link_handle<QuiesceMessage>(on_quiesce);
  link_handle<CountMessage>(on_count);
  link_handle<CountedMessage>(on_counted);
  link_handle<QuietMessage>(on_quiet);
  link_handle<MainEndedMessage>(on_main_ended);
  node_met.add(on_met);
  events.thread_ended.add(on_thread_ended);
  events.termination_check = check;
}

namespace {

/// Without a request for a round: 0 if it is time to look whether the run stands, else when to ask again.
uint64_t stand_wait(uint64_t now) {
  const bool rests_here = at_rest_here();
  Guard guard(lock);
  if (!rests_here) {
    rest_begun_ns = 0;
    stand_wait_ns = stand_least_ns;
    return stand_look_ns;
  }
  if (rest_begun_ns == 0) {
    rest_begun_ns = now;
    stand_next_ns = now + stand_least_ns;
  }
  return now >= stand_next_ns ? 0 : std::min(stand_next_ns - now, stand_look_ns);
}

} // namespace

uint64_t termination_tick(uint64_t now) {
  const bool ending = main_has_ended();
  if (node.self != 0)
    return UINT64_MAX;
  if (!ending && !asked.load(std::memory_order_relaxed)) {
    if (const uint64_t wait = stand_wait(now))
      return wait;
  } else if (!ending && !at_rest_here()) {
    return look_ns; // mostly termination_idle comes first
  }
  {
    Guard guard(lock);
    if (finished || round.missing > 0)
      return UINT64_MAX; // the answers will wake us
    if (now < next_round_ns)
      return next_round_ns - now;
  }
  link_exclusive(begin_round, nullptr);
  return UINT64_MAX;
}

void termination_idle() {
  barrier_light(); // the worker says that it rests; partners: the heavy ones where that is asked for
  if (asked.load(std::memory_order_relaxed)) {
    if (const uint64_t wait = termination_tick(clock_ns()); wait < look_ns)
      progress_wake_within(wait);
  } else if (rest_wanted.load(std::memory_order_relaxed) && at_rest_here() &&
             rest_wanted.exchange(false, std::memory_order_relaxed)) {
    link_tell<QuietMessage>(0);
  }
}

void termination_depart() {
  {
    Guard guard(lock);
    // The round under way may lack an answer. The next one does not ask a node that is gone.
    round.missing = 0;
    before = {};
    wait_ns = wait_least;
    next_round_ns = 0;
  }
  progress_wake_within(0);
}

void termination_fail(int peer) {
  char text[96];
  snprintf(text, sizeof text, "skein_quiesce: node %d died", peer);
  Asker *told;
  {
    Guard guard(lock);
    told = askers;
    askers = nullptr;
    asked.store(false, std::memory_order_relaxed);
  }
  answer(told, SKEIN_EDEAD, text);
  termination_depart();
}

} // namespace skein
