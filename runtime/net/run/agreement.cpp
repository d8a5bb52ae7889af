// Collects values, sends outcomes, and wakes the threads that wait for them; see agreement.h.
#include "net/run/agreement.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "net/messages/calls.h"
#include "net/run/membership.h"
#include "net/run/termination.h"
#include "sched/sched.h"

#include <skein/deaths.h>
#include <skein/skein.h>

#include <bitset>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

struct Part {
  uint64_t call; // 0: the value has not come
  uint64_t value;
  bool has_taken_part; // the node has given a value at some time
};

// A thread whose outcome has come before this node has heard of all deaths that it counts.
struct Late {
  Late *next;
  Thread *thread;
  uint64_t deaths;
};

SpinLock lock{Rank::net};
Part *parts; // at node 0, by node
bool wanted; // a thread of this node has given a value and waits
Late *late;  // threads whose outcome has come, but not the news of all deaths
constexpr char in_use[] = "skein_agree: another thread of this node is in it already, and each node has one part";

/// Whether agreements wait for a value of that node. A node that came later belongs to them from its first value on,
/// since the program may have no thread there that gives one. One that is about to leave belongs to them if it has
/// given a value.
bool belongs(int peer) {
  return peer == node.self || (link_takes(peer) && (peer < node.founders || parts[peer].has_taken_part)) ||
         (link_alive(peer) && parts[peer].call);
}

/// At node 0: if the values of all nodes that belong to it have come, decides which node gets which answer. Under the
/// lock.
bool decide(skein_agreement &outcome, Part *told) {
  bool any = false;
  outcome = {UINT64_MAX, static_cast<uint64_t>(deaths_known())};
  for (int peer = 0; peer < node.count; peer++) {
    if (!belongs(peer))
      continue;
    if (!parts[peer].call)
      return false;
    outcome.value &= parts[peer].value;
    any = true;
  }
  if (!any)
    return false;
  memcpy(told, parts, static_cast<size_t>(node.count) * sizeof *parts);
  for (int peer = 0; peer < node.count; peer++)
    parts[peer].call = 0;
  return true;
}

/// At node 0: called after a value has come or a node has died.
void answer_if_complete() {
  skein_agreement outcome;
  auto *told = static_cast<Part *>(message_memory(static_cast<size_t>(node.count) * sizeof(Part)));
  bool decided;
  {
    Guard guard(lock);
    decided = decide(outcome, told);
  }
  for (int peer = 0; decided && peer < node.count; peer++)
    if (told[peer].call && (peer == node.self || link_alive(peer)))
      call_reply(peer, told[peer].call, SKEIN_OK, &outcome, sizeof outcome);
  free(told);
}

void take_value(int from, uint64_t call, uint64_t value) {
  bool twice;
  {
    Guard guard(lock);
    twice = parts[from].call != 0;
    if (!twice)
      parts[from] = {call, value, true};
  }
  if (twice)
    return call_reply(from, call, SKEIN_ELOCK, in_use, sizeof in_use - 1);
  answer_if_complete();
}

/// The run stands: node 0 reports which nodes have given no value. Often the thread that should give it has moved away.
void on_standing() {
  bool any = false;
  std::bitset<nodes_max> missing;
  {
    Guard guard(lock);
    for (int peer = 0; peer < node.count; peer++) {
      any |= parts[peer].call != 0;
      missing[static_cast<size_t>(peer)] = !parts[peer].call && belongs(peer);
    }
  }
  for (int peer = 0; any && peer < node.count; peer++)
    if (missing[static_cast<size_t>(peer)])
      log("  skein_agree waits for a thread of node %d to call it", peer);
}

void on_agree(Arrival &arrival) {
  const auto &part = arrival.body<AgreeMessage>();
  if (node.self == 0)
    take_value(arrival.from, part.call, part.value);
}

void finish(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, sizeof(skein_agreement));
  {
    Guard guard(lock);
    wanted = false;
  }
  if (!reply)
    return wake_with_error(call.waiter, SKEIN_EDEAD, "skein_agree: node 0 died");
  if (reply->value)
    return wake_with_error(call.waiter, static_cast<int>(reply->value), "%.*s", static_cast<int>(data_bytes),
                           reinterpret_cast<const char *>(reply + 1));
  skein_agreement outcome;
  memcpy(&outcome, reply + 1, sizeof outcome);
  memcpy(call.place, &outcome, sizeof outcome);
  if (outcome.deaths <= static_cast<uint64_t>(deaths_known()))
    return thread_wake(call.waiter, SKEIN_OK);
  auto *waits = static_cast<Late *>(message_memory(sizeof(Late)));
  Guard guard(lock);
  *waits = {late, call.waiter, outcome.deaths};
  late = waits;
}

extern "C" Thread *skein_agree_call(Thread *self, skein_agreement *agreement) {
  thread_error_clear(self);
  self->result = SKEIN_OK;
  if (node.count == 1) {
    agreement->deaths = 0;
    return self;
  }
  bool twice;
  {
    Guard guard(lock);
    twice = wanted;
    wanted = true;
  }
  if (twice) {
    self->result = static_cast<uint64_t>(thread_error(self, SKEIN_ELOCK, "%s", in_use));
    return self;
  }
  const uint64_t value = agreement->value;
  thread_block(self, "skein_agree", nullptr);
  const uint64_t call = call_begin({finish, 0, self, 0, agreement, sizeof *agreement});
  if (node.self == 0)
    take_value(0, call, value);
  else
    link_tell<AgreeMessage>(0, call, value);
  call_sent(call);
  return thread_next();
}

} // namespace

void agreement_start() {
  parts = static_cast<Part *>(calloc(static_cast<size_t>(node.count), sizeof(Part)));
  if (!parts)
    fatal("out of memory for %d peers", node.count);
  link_handle<AgreeMessage>(on_agree);
  standing.add(on_standing);
}

void agreement_look() {
  if (node.self == 0)
    answer_if_complete();
}

void agreement_fail(int peer) {
  Late *told = nullptr;
  {
    Guard guard(lock);
    parts[peer] = {};
    for (Late **link = &late; *link;) {
      Late *waits = *link;
      if (waits->deaths > static_cast<uint64_t>(deaths_known())) {
        link = &waits->next;
        continue;
      }
      *link = waits->next;
      waits->next = told;
      told = waits;
    }
  }
  while (Late *waits = told) {
    told = waits->next;
    thread_wake(waits->thread, SKEIN_OK);
    free(waits);
  }
  if (node.self == 0)
    answer_if_complete();
}

} // namespace skein
