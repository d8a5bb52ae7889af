// Records of threads that are away, and what is said to them wherever they are; see births.h.
#include "net/moves/births.h"
#include "base/log.h"
#include "net/moves/birth_records.h"
#include "net/moves/exchange.h"
#include "net/moves/outbox.h"
#include "net/run/membership.h"
#include "sched/for_debuggers.h"
#include "sync/ending.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace skein {

SpinLock births_lock{Rank::net};
IdTable<Away> away;
std::atomic<uint64_t> departures{0};

namespace {

constexpr char never_born[] = "no thread %llu was ever born here", not_away[] = "thread %llu, born here, is not away";

// --- marks of threads born here --------------------------------------------------------------------------------------

/// Marks a thread born here wherever it is. `away_mark(id)` marks the record of a thread that is away, `here_mark(id)`
/// the thread itself; each returns false if the thread is not there. A thread that departs takes its marks into its
/// record, and one that arrives takes them back, both under the lock. A thread without a record at the first look is
/// here, has ended, or departs before the second look. In the last case the third look finds it away, or it is back
/// already; then the count of departures has changed, and all looks are repeated.
template <class AwayMark, class HereMark> void mark_born_here(uint64_t id, AwayMark away_mark, HereMark here_mark) {
  for (;;) {
    const uint64_t before = departures.load(std::memory_order_relaxed); // ordered by the locks that the two looks take
    if (away_mark(id))
      return;
    const bool here = here_mark(id);
    if (away_mark(id) || here || departures.load(std::memory_order_relaxed) == before)
      return;
  }
}

// --- detached threads ------------------------------------------------------------------------------------------------

/// Marks the record of a thread born here as detached; false if the thread is not away.
bool detach_away(uint64_t id) {
  Guard guard(births_lock);
  Away *record = away.find(id);
  if (record)
    record->detached = true;
  return record;
}

void detach_born_here(uint64_t id) { mark_born_here(id, detach_away, join_detach_here); }

void detach(uint64_t id) {
  if (thread_id_node(id) == node.self)
    detach_born_here(id);
  else
    link_tell<DetachMessage>(thread_id_node(id), id);
}

void on_detach(Arrival &arrival) {
  const uint64_t id = arrival.body<DetachMessage>().thread;
  detach_born_here(id);
  join_take(id);
}

// --- threads that are to end -----------------------------------------------------------------------------------------

void tell_cancel(int place, uint64_t id) {
  if (place == node.self)
    cancel_mark(id);
  else if (link_keeps(place))
    link_tell<CancelMessage>(place, id);
}

/// Marks the record of a thread born here as cancelled and tells its node; false if the thread is not away.
bool cancel_away(uint64_t id) {
  int place;
  {
    Guard guard(births_lock);
    Away *record = away.find(id);
    if (!record)
      return false;
    record->cancelled = true;
    place = record->node;
  }
  tell_cancel(place, id);
  return true;
}

void cancel_born_here(uint64_t id) { mark_born_here(id, cancel_away, cancel_mark); }

void cancel(uint64_t id) {
  if (thread_id_node(id) == node.self)
    cancel_born_here(id);
  else
    tell_cancel(thread_id_node(id), id);
}

void on_cancel(Arrival &arrival) {
  const uint64_t id = arrival.body<CancelMessage>().thread;
  if (thread_kept_here(id))
    cancel_born_here(id);
  else if (!cancel_mark(id))
    outbox_send(thread_id_node(id)); // the news of its end or move may still be here
}

// --- ends and moves --------------------------------------------------------------------------------------------------

void on_thread_ended(Thread *thread) {
  uint64_t id = thread->id;
  int birth = thread_id_node(id);
  if (birth == node.self) {
    forget_debt(id);
    answer_watches(id, SKEIN_OK, nullptr, &thread->join.returned);
  } else {
    outbox_ended(birth, {id, result_out(thread->join.returned, thread->join.taken)}, thread->births.wanted);
  }
}

// Each end is told once, and the thread is away then: a peer that says otherwise is damaged. After a death that is no
// longer certain, so then it is no reason to reject the peer.
void on_ended(Arrival &arrival) {
  auto *ended = static_cast<const EndedThread *>(arrival.data<EndedMessage>());
  size_t count = arrival.data_bytes<EndedMessage>() / sizeof(EndedThread);
  for (size_t i = 0; i < count; i++) {
    const uint64_t id = ended[i].thread;
    const Result result = result_in(ended[i].result);
    exchange_settle(id); // its end may be known before the verdict on its shipment
    {
      Guard guard(births_lock);
      Away *record = away.find(id);
      if (!record && link_all_alive())
        return link_reject(arrival.from, MessageType::ended, not_away,
                           static_cast<unsigned long long>(thread_id_number(id)));
      if (!record)
        continue;
      if (result.kind != ResultKind::none && !ended[i].result.taken && !record->detached)
        join_keep(id, result); // before the record goes: a thread that finds no record looks for the result
      away.erase(id);
    }
    forget_debt(id);
    answer_watches(id, SKEIN_OK, nullptr, &result);
    join_wake(id, SKEIN_OK, nullptr, &result);
  }
}

/// A thread born here has gone to a node that is dead. births_report_death did not count it, because at that time the
/// thread was believed to be elsewhere.
void report_lost_later(uint64_t id, int to) {
  fail_debt(id, to);
  if (id == main_id)
    membership_main_lost(to);
}

void on_moved(Arrival &arrival) { // it may be late: the thread may be back or have ended
  auto *moved = static_cast<const MovedThread *>(arrival.data<MovedMessage>());
  size_t count = arrival.data_bytes<MovedMessage>() / sizeof(MovedThread);
  for (size_t i = 0; i < count; i++) {
    uint64_t id = moved[i].thread;
    if (!may_keep(id))
      return link_reject(arrival.from, MessageType::moved, never_born,
                         static_cast<unsigned long long>(thread_id_number(id)));
    bool cancelled;
    {
      Guard guard(births_lock);
      Away *record = away.find(id);
      auto moves = static_cast<uint16_t>(moved[i].moves);
      if (!record || static_cast<int16_t>(moves - record->moves) <= 0)
        continue;
      cancelled = record->cancelled;
      *record = {static_cast<int32_t>(moved[i].to), moves, record->detached, cancelled};
    }
    if (cancelled)
      tell_cancel(static_cast<int>(moved[i].to), id);
    if (!link_alive(static_cast<int>(moved[i].to)))
      report_lost_later(id, static_cast<int>(moved[i].to));
    if (watched(id) || join_waits(id))
      want_end(id);
  }
}

// --- death -----------------------------------------------------------------------------------------------------------

/// Writes the ids' numbers, as "5-20, 44, 50-51", as far as they fit.
void print_ids(const uint64_t *ids, size_t count, char *to, size_t bytes) {
  size_t used = 0;
  for (size_t i = 0; i < count;) {
    size_t last = i;
    while (last + 1 < count && ids[last + 1] == ids[last] + 1)
      last++;
    char range[64];
    int length = last == i ? snprintf(range, sizeof range, "%s%llu", i ? ", " : "",
                                      static_cast<unsigned long long>(thread_id_number(ids[i])))
                           : snprintf(range, sizeof range, "%s%llu-%llu", i ? ", " : "",
                                      static_cast<unsigned long long>(thread_id_number(ids[i])),
                                      static_cast<unsigned long long>(thread_id_number(ids[last])));
    if (used + static_cast<size_t>(length) + 8 > bytes) {
      snprintf(to + used, bytes - used, ", …");
      return;
    }
    memcpy(to + used, range, static_cast<size_t>(length) + 1);
    used += static_cast<size_t>(length);
    i = last + 1;
  }
}

} // namespace

void births_start() {
  link_handle<DetachMessage>(on_detach);
  link_handle<CancelMessage>(on_cancel);
  link_handle<EndedMessage>(on_ended);
  link_handle<MovedMessage>(on_moved);
  events.thread_ended.add(on_thread_ended);
  detach_elsewhere = detach;
  cancel_elsewhere = cancel;
  joins_start();
  birth_estate_start();
  const auto table = away.layout();
  debugger_shows_away(table.slots, table.mask, table.slot_bytes, table.value + offsetof(Away, node));
}

void births_mark(Thread &thread) {
  if (thread_id_node(thread.id) == node.self)
    thread.births.wanted = thread.join.awaited || watched(thread.id);
}

void births_leaving(const Thread &thread, int to) {
  if (thread_id_node(thread.id) != node.self)
    return;
  Guard guard(births_lock);
  away[thread.id] = {to, static_cast<uint16_t>(thread.moves + 1), thread.join.detached.load(std::memory_order_relaxed),
                     thread.end.cancelled.load(std::memory_order_relaxed)};
  departures.store(departures.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void births_stayed(uint64_t id) {
  bool cancelled = false;
  {
    Guard guard(births_lock);
    if (Away *record = away.find(id)) {
      if (record->detached)
        join_detach_here(id);
      cancelled = record->cancelled;
    }
    away.erase(id);
  }
  if (cancelled)
    cancel_mark(id);
}

void births_departed(const Thread &thread, int to) {
  uint64_t id = thread.id;
  int birth = thread_id_node(id);
  if (birth == node.self) {
    bool cancelled;
    {
      Guard guard(births_lock);
      Away *record = away.find(id);
      cancelled = record && record->cancelled;
    }
    if (cancelled)
      tell_cancel(to, id);
    if (!link_alive(to))
      report_lost_later(id, to);
    // A thread waits that the image does not know of, or the image's knowledge is lost with the node.
    if ((!thread.births.wanted || !link_alive(to)) && (thread.join.awaited || watched(id)))
      want_end(id);
  } else if (birth != to) {
    MovedThread moved{id, static_cast<uint32_t>(to), static_cast<uint32_t>(thread.moves + 1)};
    outbox_moved(birth, moved, thread.births.wanted || thread.end.cancelled.load(std::memory_order_relaxed));
  }
}

bool births_is_away(uint64_t id) {
  Guard guard(births_lock);
  return away.find(id) != nullptr;
}

extern "C" int __skein_lives(uint64_t id) {
  // One that leaves or comes is in both places for a moment, and never in neither.
  return thread_with(id, [](Thread *) {}) || births_is_away(id) || thread_with(id, [](Thread *) {});
}

void births_arrived(uint64_t id) {
  if (thread_id_node(id) == node.self)
    births_stayed(id);
}

bool births_report_death(int dead, uint64_t living_there) {
  size_t count = 0;
  uint64_t *ids;
  {
    Guard guard(births_lock);
    ids = static_cast<uint64_t *>(malloc((away.size() + 1) * sizeof(uint64_t)));
    if (ids)
      away.each([&](uint64_t id, Away &record) {
        if (record.node == dead)
          ids[count++] = id;
      });
  }
  if (!ids)
    return false;
  std::sort(ids, ids + count);
  char text[700];
  text[0] = 0;
  print_ids(ids, count, text, sizeof text);
  if (count)
    log("node %d had %zu of the threads born here, now lost: %s (by its last heartbeat %llu threads lived there)", dead,
        count, text, static_cast<unsigned long long>(living_there));
  else
    log("node %d had none of the threads born here (by its last heartbeat %llu threads lived there)", dead,
        static_cast<unsigned long long>(living_there));
  for (size_t i = 0; i < count; i++)
    fail_lost_thread(ids[i], dead);
  const bool main_lost = node.self == 0 && std::binary_search(ids, ids + count, main_id);
  free(ids);
  return main_lost;
}

void births_forget() {
  Guard guard(births_lock);
  away.clear();
  debts.clear();
  debt_count.store(0, std::memory_order_relaxed);
  while (Watch *watch = watches) {
    watches = watch->next;
    free(watch);
  }
  watch_count.store(0, std::memory_order_relaxed);
}

} // namespace skein
