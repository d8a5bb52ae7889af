// Collects the counters that a program asks for; see <skein/skein.h>. The counters themselves are in sched
// (sched/sched.h).
#include "net/run/statistics.h"
#include "base/tally.h"
#include "migrate/modules.h"
#include "net/messages/calls.h"
#include "private/paging/paging.h"
#include "sched/load.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <cstring>

namespace skein {

namespace {

void on_statistics(Arrival &arrival) {
  skein_statistics all = statistics_here();
  call_reply(arrival.from, arrival.body<StatisticsMessage>().call, SKEIN_OK, &all, sizeof all);
}

void finish_statistics(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, call.place_bytes);
  if (reply && !reply->value)
    memcpy(call.place, reply + 1, data_bytes);
  finish_with_code(call, reply, data_bytes);
}

extern "C" Thread *skein_statistics_get_call(Thread *self, uint64_t from_word, uint64_t to) {
  int from = static_cast<int>(from_word);
  thread_error_clear(self);
  self->result = static_cast<uint64_t>(thread_check_node(self, from, "skein_statistics_get"));
  if (self->result)
    return self;
  if (from == node.self) {
    *reinterpret_cast<skein_statistics *>(to) = statistics_here();
    return self;
  }
  thread_block(self, "skein_statistics_get", nullptr);
  uint64_t call =
      call_begin({finish_statistics, from, self, 0, reinterpret_cast<void *>(to), sizeof(skein_statistics)});
  link_tell<StatisticsMessage>(from, call);
  call_sent(call);
  return thread_next();
}

} // namespace

skein_statistics statistics_here() {
  auto value = [](const std::atomic<uint64_t> &counter) { return counter.load(std::memory_order_relaxed); };
  skein_statistics all{};
  all.threads_spawned = tally_sum(Tally::spawned);
  all.threads_ended = tally_sum(Tally::ended);
  all.threads_sent = tally_sum(Tally::sent);
  all.threads_received = value(statistics.threads_received);
  all.threads_stolen = value(statistics.threads_stolen);
  all.threads_at_other_address = value(statistics.threads_at_other_address);
  all.threads_at_same_address = value(statistics.threads_at_same_address);
  all.moves_refused = value(statistics.moves_refused);
  all.bytes_sent = tally_sum(Tally::sent_bytes);
  all.bytes_received = value(statistics.bytes_received);
  all.pointers_relocated = value(statistics.pointers_relocated);
  all.steals_answered = value(statistics.steals_answered);
  all.steal_answer_ns_max = value(statistics.steal_answer_ns_max);
  const Load load = load_now();
  all.threads_living = load.threads;
  all.threads_ready = load.ready;
  all.workers_busy = load.busy;
  all.cpu_us = load.cpu_us;
  for (int peer = 0; peer < node.count; peer++)
    all.channels_sent += value(statistics.channels_sent[peer]);
  all.moves_lazy = value(paging_counts.moves);
  all.pages_fetched = value(paging_counts.pages);
  all.page_faults = value(paging_counts.faults);
  HelloMessage hello;
  if (node.self != 0 && link_hello(0, hello))
    all.image_delta = program_module().begin - hello.image_begin;
  return all;
}

void statistics_start() { link_handle<StatisticsMessage>(on_statistics); }

} // namespace skein
