// Requests, raids and answers; see steals.h.
#include "net/moves/steals.h"
#include "base/knobs.h"
#include "base/random.h"
#include "net/messages/calls.h"
#include "net/messages/pending.h"
#include "net/moves/pushes.h"
#include "net/run/progress.h"
#include "os/linux/futex.h"
#include "sched/bundle.h"
#include "sched/sched.h"

#include <skein/migration.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace skein {

Balancer balancer{};

namespace {

constexpr char unasked[] = "this node waits for no answer to steal %llu from there";

/// What a program asked for. The last of its requests to come back frees it.
struct Raid {
  Raid *next = nullptr; // in the list of those with a deadline
  Order order;
  uint32_t most = 0;
  Wanted wanted;
  uint64_t deadline_ns = 0; // 0: none
  uint32_t under_way = 0;   // requests that have not come back
  uint32_t got = 0;         // threads
  int last = -1;            // the node asked last
  int more = 0;             // how many nodes may be asked after it, one after the other
  bool one_node = false;    // the program named one node
  bool over = false;        // its order has been told
};

SpinLock lock{Rank::net};                // of all raids
Raid *timed;                             // those with a deadline
std::atomic<uint64_t> begun{0}, told{0}; // raids: counted before their thread waits, and after it is woken

void end_raid_order(const Order &order, int code, const char *text, uint32_t got) {
  order_end(order, code, text, got);
  told.fetch_add(1, std::memory_order_release); // pairs with the load in raids_told
}

void ask_victim(Raid *raid, int victim);

/// Under the lock: ends a raid. True if the caller has to tell its order, false if it was over before.
bool end_raid(Raid &raid) {
  if (raid.over)
    return false;
  raid.over = true;
  for (Raid **link = &timed; *link; link = &(*link)->next)
    if (*link == &raid) {
      *link = raid.next;
      break;
    }
  return true;
}

void end_empty_raid(const Raid &raid, int victim) {
  char text[96];
  const bool died = raid.one_node && !link_alive(victim);
  if (died)
    snprintf(text, sizeof text, "node %d died", victim);
  else if (raid.one_node)
    snprintf(text, sizeof text, "node %d has no thread that is ready and may move", victim);
  else
    snprintf(text, sizeof text, "no node has a thread that is ready and may move");
  end_raid_order(raid.order, died ? SKEIN_EDEAD : SKEIN_EEMPTY, text, 0);
}

/// A request of the raid has come back with `count` threads.
void finish_request(Raid *raid, int victim, uint32_t count) {
  bool to_tell = false, last;
  int next = -1;
  uint32_t got;
  {
    Guard guard(lock);
    raid->got += count;
    got = raid->got;
    while (!raid->over && got == 0 && raid->more > 0 && next < 0) {
      raid->more--;
      raid->last = (raid->last + 1) % node.count;
      if (raid->last != node.self && link_alive(raid->last))
        next = raid->last;
    }
    last = next < 0 && --raid->under_way == 0;
    if (last)
      to_tell = end_raid(*raid);
  }
  if (next >= 0)
    return ask_victim(raid, next);
  if (!last)
    return;
  if (to_tell && got)
    end_raid_order(raid->order, SKEIN_OK, "", got);
  else if (to_tell)
    end_empty_raid(*raid, victim);
  free(raid);
}

void finish_raid(const Call &call, const ReplyMessage *, size_t) {
  finish_request(reinterpret_cast<Raid *>(call.id), call.peer, call.accepted);
}

/// Sends a request that raid->under_way counts already. Once the call has begun, its end may free the raid, so all that
/// is needed of it is read before.
void ask_victim(Raid *raid, int victim) {
  uint32_t most = raid->most;
  auto states = static_cast<uint32_t>(raid->wanted.what);
  uint32_t bundle = raid->wanted.bundle ? raid->wanted.bundle->definition + 1 : 0;
  Call call = {finish_raid, victim, nullptr, reinterpret_cast<uint64_t>(raid), nullptr, 0};
  call.by = AnsweredBy::threads;
  const uint64_t request = call_begin(call);
  link_tell<StealMessage>(victim, request, clock_ns(), most, states, bundle, 0u);
  call_sent(request);
}

void finish_for_policy(const Call &call, const ReplyMessage *, size_t) {
  link_exclusive( // for a victim that died: deaths are noticed outside of handlers
      [](void *asked) {
        const auto &steal = *static_cast<const Call *>(asked);
        if (balancer.answered)
          balancer.answered(steal.peer, 0, steal.id);
      },
      const_cast<Call *>(&call));
}

// --- the victim ------------------------------------------------------------------------------------------------------

void on_steal(Arrival &arrival) {
  const auto &steal = arrival.body<StealMessage>();
  Wanted wanted;
  if (steal.what <= static_cast<uint32_t>(SKEIN_WANT_STARTED_ONLY))
    wanted.what = static_cast<skein_wanted>(steal.what);
  if (steal.bundle)
    wanted.bundle = bundle_of_definition(steal.bundle - 1);
  ShipOutcome outcome;
  const bool unwelcome = (steal.by_policy && balancer.on && !balancer.on()) || !link_takes(arrival.from);
  if (!unwelcome && (wanted.bundle || !steal.bundle))
    outcome = exchange_ship_ready(arrival.from, steal.request, steal.most, wanted);
  if (outcome.threads == 0) {
    link_tell<NothingMessage>(arrival.from, steal.request);
    if (balancer.denied)
      balancer.denied(arrival.from);
  } else if (balancer.idle && threads_ready() == 0 && workers_resting() > 0) {
    // A worker had nothing to do before these threads came, or became ready, and told the policy, which did not ask
    // anybody, because they were about to come, or were there. Now they have left again, and the worker sleeps on.
    balancer.idle();
  }
  count(statistics.steals_answered);
  const uint64_t now = clock_ns(), took = steal.sent_ns < now ? now - steal.sent_ns : 0; // a peer's clock may be wrong
  uint64_t longest = statistics.steal_answer_ns_max.load(std::memory_order_relaxed);
  while (took > longest &&
         !statistics.steal_answer_ns_max.compare_exchange_weak(longest, took, std::memory_order_relaxed))
    ;
}

void on_nothing(Arrival &arrival) {
  const uint64_t request = arrival.body<NothingMessage>().request;
  Call call;
  if (!call_is_steal(request, arrival.from))
    return link_reject(arrival.from, MessageType::nothing, unasked, static_cast<unsigned long long>(request));
  if (call_take(request, call))
    call.finish(call, nullptr, 0);
}

void on_policy(Arrival &arrival) {
  if (balancer.told)
    balancer.told(arrival.from, arrival.body<PolicyMessage>().policy, arrival.data<PolicyMessage>(),
                  arrival.data_bytes<PolicyMessage>());
}

// --- the API ---------------------------------------------------------------------------------------------------------

Raid *raid_new(const skein_choice *choice, const Order &order) {
  begun.fetch_add(1, std::memory_order_relaxed); // ordered by what makes its thread's worker rest
  auto *raid = new (message_memory(sizeof(Raid))) Raid;
  raid->order = order;
  raid->wanted = choice_wanted(choice);
  raid->most = choice ? choice->most : 0;
  if (choice && choice->timeout_ms)
    raid->deadline_ns = clock_ns() + uint64_t{choice->timeout_ms} * 1000000;
  return raid;
}

/// Asks `count` nodes at once. From here on the raid does not belong to the caller.
void begin_raid(Raid *raid, const int *victims, uint32_t count) {
  raid->under_way = count;
  uint64_t deadline = raid->deadline_ns;
  if (deadline) {
    {
      Guard guard(lock);
      raid->next = timed;
      timed = raid;
    }
    uint64_t now = clock_ns();
    progress_wake_within(deadline > now ? deadline - now : 0);
  }
  for (uint32_t i = 0; i < count; i++)
    ask_victim(raid, victims[i]);
}

/// SKEIN_OK, or an error of `self` if nothing can be stolen from there.
int check_victim(Thread *self, int from, const char *function) {
  if (const int code = thread_check_node(self, from, function))
    return code;
  if (from == node.self)
    return thread_error(self, SKEIN_EEMPTY, "%s: node %d is this node", function, from);
  if (!link_alive(from))
    return thread_error(self, link_state_code(from), "%s: node %d %s", function, from, link_state(from));
  return SKEIN_OK;
}

constexpr int anybody = INT_MIN; // differs from any number that a program can pass: see node_of

/// Steals from one node, or from anybody. With `waits` the thread waits, and `*moved`, if not null, is how many threads
/// came. Else its result is the handle of an operation.
Thread *begin_steal(Thread *self, const skein_choice *choice, int from, unsigned *moved, bool waits,
                    const char *function) {
  thread_error_clear(self);
  self->result = 0;
  int more = 0, code = SKEIN_OK;
  if (from == anybody) {
    from = link_random_peer(steals_random());
    more = node.count - 1;
    if (from < 0)
      code = thread_error(self, SKEIN_EEMPTY, "%s: there is no other node", function);
  } else {
    code = check_victim(self, from, function);
  }
  if (!code)
    code = choice_check(self, choice, function);
  if (code) {
    if (waits)
      self->result = static_cast<uint64_t>(code);
    return self;
  }
  Order order{nullptr, 0, moved, function};
  if (waits) {
    thread_block(self, function, nullptr);
    order.waiter = self;
  } else {
    self->result = order.pending = pending_new();
  }
  Raid *raid = raid_new(choice, order);
  raid->last = from;
  raid->more = more;
  raid->one_node = more == 0;
  begin_raid(raid, &from, 1);
  return waits ? thread_next() : self;
}

const skein_choice one = {0, 1, 0, nullptr};
int node_of(uint64_t word) { return std::max(static_cast<int>(word), -1); }
const skein_choice *choice_of(uint64_t word) { return reinterpret_cast<const skein_choice *>(word); }
unsigned *count_of(uint64_t word) { return reinterpret_cast<unsigned *>(word); }

extern "C" Thread *skein_steal_call(Thread *self) {
  return begin_steal(self, &one, anybody, nullptr, true, "skein_steal");
}
extern "C" Thread *skein_steal_from_call(Thread *self, uint64_t from) {
  return begin_steal(self, &one, node_of(from), nullptr, true, "skein_steal_from");
}
extern "C" Thread *skein_steal_any_call(Thread *self, uint64_t choice, uint64_t moved) {
  return begin_steal(self, choice_of(choice), anybody, count_of(moved), true, "skein_steal_any");
}
extern "C" Thread *skein_steal_any_from_call(Thread *self, uint64_t choice, uint64_t from, uint64_t moved) {
  return begin_steal(self, choice_of(choice), node_of(from), count_of(moved), true, "skein_steal_any_from");
}
extern "C" Thread *skein_steal_any_start_call(Thread *self, uint64_t choice) {
  return begin_steal(self, choice_of(choice), anybody, nullptr, false, "skein_steal_any_start");
}
extern "C" Thread *skein_steal_any_from_start_call(Thread *self, uint64_t choice, uint64_t from) {
  return begin_steal(self, choice_of(choice), node_of(from), nullptr, false, "skein_steal_any_from_start");
}

extern "C" Thread *skein_prefetch_start_call(Thread *self, uint64_t choice, uint64_t nodes_word, uint64_t count_word) {
  const auto *nodes = reinterpret_cast<const int *>(nodes_word);
  auto count = static_cast<uint32_t>(count_word);
  thread_error_clear(self);
  self->result = 0;
  if (count == 0 || count > static_cast<uint32_t>(nodes_max)) {
    thread_error(self, SKEIN_ENODE, "skein_prefetch_start: %u nodes", count);
    return self;
  }
  for (uint32_t i = 0; i < count; i++)
    if (check_victim(self, nodes[i], "skein_prefetch_start"))
      return self;
  if (choice_check(self, choice_of(choice), "skein_prefetch_start"))
    return self;
  Order order{nullptr, pending_new(), nullptr, "skein_prefetch_start"};
  self->result = order.pending;
  begin_raid(raid_new(choice_of(choice), order), nodes, count);
  return self;
}

/// Ends raids whose time is up. Returns nanoseconds until the next deadline.
uint64_t end_late_raids(uint64_t now) {
  for (;;) {
    Order order;
    uint32_t got = 0;
    uint64_t next = UINT64_MAX;
    {
      Guard guard(lock);
      Raid *late = nullptr;
      for (Raid *raid = timed; raid && !late; raid = raid->next)
        if (raid->deadline_ns <= now)
          late = raid;
        else
          next = std::min(next, raid->deadline_ns - now);
      if (late) {
        end_raid(*late); // its requests are still under way; the last of them frees it
        order = late->order;
        got = late->got;
      } else {
        return next;
      }
    }
    end_raid_order(order, got ? SKEIN_OK : SKEIN_ETIME, "no answer in the given time", got);
  }
}

} // namespace

void steals_start() {
  link_handle<StealMessage>(on_steal);
  link_handle<NothingMessage>(on_nothing);
  link_handle<PolicyMessage>(on_policy);
}

uint64_t raids_told() { return told.load(std::memory_order_acquire); }
uint64_t raids_begun() { return begun.load(std::memory_order_relaxed); }

uint32_t steals_random() {
  static std::atomic<uint64_t> state{0};
  const uint64_t x = state.fetch_add(UINT64_C(0x9e3779b97f4a7c15), std::memory_order_relaxed) +
                     static_cast<uint64_t>(node.self) + knobs.seed * 1000003;
  return static_cast<uint32_t>(splitmix64(x) >> 32);
}

void steal_for_policy(int victim, uint32_t most, uint64_t turn) {
  Call call = {finish_for_policy, victim, nullptr, turn, nullptr, 0};
  call.by = AnsweredBy::threads;
  const uint64_t request = call_begin(call);
  link_tell<StealMessage>(victim, request, clock_ns(), most, static_cast<uint32_t>(SKEIN_WANT_FRESH_FIRST), 0u, 1u);
  call_sent(request);
}

bool steal_asked(uint64_t request, int from) {
  if (call_is_steal(request, from))
    return true;
  link_reject(from, MessageType::threads, unasked, static_cast<unsigned long long>(request));
  return false;
}

void steal_answered(int from, uint64_t request, uint32_t answer, uint32_t threads, uint32_t accepted) {
  Call call;
  const AnswerPart part = call_take_part(request, answer, threads, accepted, call);
  if (part == AnswerPart::wrong)
    return link_reject(from, MessageType::threads, "more threads have come in answer to steal %llu than it says",
                       static_cast<unsigned long long>(request));
  if (part == AnswerPart::more)
    return;
  if (call.finish == finish_for_policy) {
    if (balancer.answered)
      balancer.answered(call.peer, call.accepted, call.id);
  } else {
    finish_raid(call, nullptr, 0);
  }
}

uint64_t steals_tick(uint64_t now) {
  uint64_t next = end_late_raids(now);
  return balancer.tick ? std::min(next, balancer.tick(now)) : next;
}

} // namespace skein
