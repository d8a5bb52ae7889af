// Counts moves that were refused, by reason; see refused.h.
#include "net/moves/refused.h"

#include "base/knobs.h"
#include "base/log.h"
#include "base/node.h"
#include "base/tally.h"
#include "migrate/lazy_moves.h"
#include "migrate/refusal.h"
#include "sched/sched.h"
#include "trace/trace.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace skein {

namespace {

RefusalCounts reasons;
bool counts_reasons;

void print_moves() {
  auto value = [](const std::atomic<uint64_t> &counter) {
    return static_cast<unsigned long long>(counter.load(std::memory_order_relaxed));
  };
  report("moves: node %d: %llu threads left, %llu came (%llu at the same address, %llu relocated), %llu moves refused",
         node.self, static_cast<unsigned long long>(tally_sum(Tally::sent)), value(statistics.threads_received),
         value(statistics.threads_at_same_address), value(statistics.threads_at_other_address),
         value(statistics.moves_refused));
  char who[24];
  std::snprintf(who, sizeof who, "moves: node %d", node.self);
  refused_print_reasons(who);
  lazy_print(who);
  if (const uint64_t in_place = tally_sum(Tally::sent_in_place))
    report("%s: %llu of the threads that left have left their stacks in place", who,
           static_cast<unsigned long long>(in_place));
  if (const uint64_t lending = tally_sum(Tally::sent_lending))
    report("%s: %llu of the threads that left lent their memory, which was copied from there", who,
           static_cast<unsigned long long>(lending));
}

} // namespace

void move_refused(const Thread &thread, int to, int code, const char *text) {
  trace(TraceEvent::stays, thread.id, 0, static_cast<uint32_t>(code), static_cast<uint16_t>(to));
  count(statistics.moves_refused);
  refused_add_reason(text);
}

void refused_count_reasons() { counts_reasons = true; }

void refused_add_reason(const char *text) {
  if (counts_reasons)
    reasons.add(text);
}

uint64_t refused_reasons() { return reasons.all(); }

void refused_print_reasons(const char *who) { reasons.print(who); }

void refused_start() {
  if (!knobs.move_report)
    return;
  refused_count_reasons();
  std::atexit(print_moves);
}

} // namespace skein
