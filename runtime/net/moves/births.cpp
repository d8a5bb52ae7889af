// Records of threads that are away, and joins over nodes; see births.h.
//
// Wanted ends. News of an end may be late (outbox.h), unless somebody waits for it. So a thread carries a mark that its
// end is *wanted*, which travels with it. The birth node sends that mark after a thread only if somebody begins to wait
// while the thread is away.
//
// Joins. A waiter is on its own node's list (sync/join). If the thread it waits for was born elsewhere, its node calls
// `join` at the birth node, which keeps a *watch* until the thread has ended. The birth node enters the watch before it
// looks whether the thread lives, so that an end in between finds the watch. A node asks once for all its waiters: the
// answer to a second question might have no result any more, since it went with the first answer, and might overtake
// that.
#include "net/moves/births.h"
#include "base/id_table.h"
#include "base/knobs.h"
#include "base/log.h"
#include "migrate/modules.h"
#include "net/messages/calls.h"
#include "net/moves/exchange.h"
#include "net/moves/outbox.h"
#include "net/run/leaving.h"
#include "net/run/membership.h"
#include "private/globals/arguments.h"
#include "private/regions/extents.h"
#include "sync/ending.h"
#include "sync/join.h"

#include <skein/skein.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

namespace skein {

namespace {

/// The record of a thread that is away.
struct Away {
  int32_t node; // where it went last
  uint16_t moves;
  bool detached;
  bool cancelled;
};

/// Call `call` of node `from` is answered when the thread has ended.
struct Watch {
  uint64_t thread;
  uint64_t call;
  int from;
  Watch *next;
};

/// The call that a thread born here has to answer.
struct Debt {
  int from;
  uint64_t call;
};

SpinLock lock{Rank::net};
IdTable<Away> away;
IdTable<Debt> debts;
std::atomic<uint32_t> debt_count{0};
Watch *watches;
std::atomic<uint32_t> watch_count{0};
IdTable<bool> asked;                 // threads born elsewhere whose birth node owes us a reply
std::atomic<uint64_t> departures{0}; // of threads born here, counted under the lock when their record is made

// --- results ---------------------------------------------------------------------------------------------------------

WireResult result_out(const Result &result, bool taken) {
  const Module &program = program_module();
  if (result.kind == ResultKind::pointer && result.value >= program.begin && result.value < program.end)
    return {result.value - program.begin, static_cast<uint32_t>(WireResultKind::image), taken};
  return {result.value, static_cast<uint32_t>(result.kind), taken};
}

Result result_in(const WireResult &result) {
  if (result.kind == static_cast<uint32_t>(WireResultKind::image))
    return {result.value + program_module().begin, ResultKind::pointer};
  return result.kind <= static_cast<uint32_t>(ResultKind::real)
             ? Result{result.value, static_cast<ResultKind>(result.kind)}
             : Result{};
}
static_assert(static_cast<int>(WireResultKind::real) == static_cast<int>(ResultKind::real) &&
              static_cast<int>(WireResultKind::pointer) == static_cast<int>(ResultKind::pointer));

// --- joins -----------------------------------------------------------------------------------------------------------

void on_wanted(Arrival &arrival) {
  auto *ids = static_cast<const uint64_t *>(arrival.data<WantedMessage>());
  bool any_gone = false;
  for (size_t i = 0; i < arrival.data_bytes<WantedMessage>() / sizeof(uint64_t); i++)
    any_gone |= !thread_with(ids[i], [](Thread *thread) { thread->births.wanted = true; });
  if (any_gone)
    outbox_send(arrival.from); // the news of its end or move may still be here
}

/// Whether somebody on another node waits for a thread born here.
bool watched(uint64_t id) {
  if (!watch_count.load(std::memory_order_relaxed))
    return false;
  Guard guard(lock);
  for (Watch *watch = watches; watch; watch = watch->next)
    if (watch->thread == id)
      return true;
  return false;
}

/// Takes the watches on a thread out of the list.
Watch *take_watches(uint64_t id) {
  Watch *taken = nullptr;
  Guard guard(lock);
  for (Watch **link = &watches; *link;)
    if ((*link)->thread == id) {
      Watch *watch = *link;
      *link = watch->next;
      watch->next = taken;
      taken = watch;
      watch_count.fetch_sub(1, std::memory_order_relaxed);
    } else {
      link = &(*link)->next;
    }
  return taken;
}

/// Answers the calls that watch a thread: with the error `text`, or else with `result`, or, if that is null, with the
/// result that is kept here.
void answer_watches(uint64_t id, int code, const char *text, const Result *result = nullptr) {
  if (!watch_count.load(std::memory_order_seq_cst)) // pairs with the one in on_join
    return;
  Watch *watch = take_watches(id);
  if (!watch)
    return;
  const Result kept = join_take(id);
  const WireResult out = result_out(result ? *result : kept, false);
  while (watch) {
    if (text)
      call_reply(watch->from, watch->call, static_cast<uint64_t>(code), text, strlen(text));
    else
      call_reply(watch->from, watch->call, static_cast<uint64_t>(code), &out, sizeof out);
    Watch *next = watch->next;
    free(watch);
    watch = next;
  }
}

/// Takes the call that a thread born here has to answer, if there is one.
bool take_debt(uint64_t id, Debt &debt) {
  // Relaxed suffices: the debt was entered before the thread began, and a lock of the table or of a queue lies between.
  if (!debt_count.load(std::memory_order_relaxed))
    return false;
  Guard guard(lock);
  if (!debts.take(id, debt))
    return false;
  debt_count.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void forget_debt(uint64_t id) {
  Debt debt;
  take_debt(id, debt);
}

/// Fails the call that a thread born here has to answer, since the thread was lost with node `dead`.
void fail_debt(uint64_t id, int dead) {
  Debt debt;
  if (!take_debt(id, debt) || !link_alive(debt.from))
    return;
  char why[96];
  snprintf(why, sizeof why, "the handler's thread was lost with node %d", dead);
  call_reply(debt.from, debt.call, SKEIN_EDEAD, why, strlen(why));
}

/// A thread born here was lost with node `dead`: fails the call that it has to answer, and all that wait for its end.
void fail_lost_thread(uint64_t id, int dead) {
  fail_debt(id, dead);
  char why[96];
  snprintf(why, sizeof why, "skein_join: the thread was lost with node %d", dead);
  answer_watches(id, SKEIN_EDEAD, why);
  join_wake(id, SKEIN_EDEAD, why);
}

/// Tells the node where a thread born here is that somebody waits for its end; false if it is not away. The waiter must
/// be on its list before: then a death is seen either here, or by births_report_death, which finds the waiter.
bool want_end(uint64_t id) {
  int place;
  {
    Guard guard(lock);
    Away *record = away.find(id);
    if (!record)
      return false;
    place = record->node;
  }
  if (place == node.self) { // one that this node inherited (leaving.h): it is here, or the news of it are on their way
    if (!thread_with(id, [](Thread *thread) { thread->births.wanted = true; }))
      outbox_send(thread_id_node(id));
  } else if (link_alive(place)) {
    outbox_wanted(place, id);
  } else {
    fail_lost_thread(id, place);
  }
  return true;
}

/// Whether a thread born here has not ended. If it is away, its end is wanted from now on. A thread that departs after
/// the look at the records and before the look into the table is found in neither; the count of departures shows that
/// this may have happened, and then both looks are repeated.
bool want_end_if_lives(uint64_t id) {
  for (;;) {
    uint64_t before = departures.load(std::memory_order_relaxed); // ordered by the locks that the two looks take
    if (want_end(id) || thread_with(id, [](Thread *) {}))
      return true;
    if (departures.load(std::memory_order_relaxed) == before)
      return false;
  }
}

/// Whether this node keeps the record of a thread of that id, if there ever was one. Which ids nodes have given that
/// have left, nobody knows.
bool may_keep(uint64_t id) { return thread_kept_here(id) && (thread_id_node(id) != node.self || thread_id_given(id)); }

constexpr char never_born[] = "no thread %llu was ever born here", not_away[] = "thread %llu, born here, is not away";
constexpr char never_was[] = "skein_join: there is and was no thread of that id";

/// Arranges that `call` of node `from` is answered when a thread born here has ended.
void watch_end(int from, uint64_t call, uint64_t thread) {
  if (!may_keep(thread)) {
    call_reply(from, call, SKEIN_ETHREAD, never_was, sizeof never_was - 1);
    return;
  }
  auto *watch = static_cast<Watch *>(message_memory(sizeof(Watch)));
  {
    Guard guard(lock);
    *watch = {thread, call, from, watches};
    watches = watch;
    watch_count.fetch_add(1, std::memory_order_seq_cst); // pairs with the load in answer_watches
  }
  if (!want_end_if_lives(thread))
    answer_watches(thread, SKEIN_OK, nullptr);
}

void on_join(Arrival &arrival) {
  const auto &join = arrival.body<JoinMessage>();
  watch_end(arrival.from, join.call, join.thread);
}

void finish_join(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  {
    Guard guard(lock); // before the waiters are woken: one that is on the list too late for that must ask again
    asked.erase(call.id);
  }
  reply = call_checked(call, reply, data_bytes, sizeof(WireResult));
  if (!reply) {
    char text[96];
    snprintf(text, sizeof text, "skein_join: node %d died, where the thread was born", call.peer);
    join_wake(call.id, SKEIN_EDEAD, text);
  } else if (reply->value) {
    char text[error_text_bytes];
    snprintf(text, sizeof text, "%.*s", static_cast<int>(data_bytes), reinterpret_cast<const char *>(reply + 1));
    join_wake(call.id, static_cast<int>(reply->value), text);
  } else {
    const Result result = result_in(*reinterpret_cast<const WireResult *>(reply + 1));
    join_wake(call.id, SKEIN_OK, nullptr, &result);
  }
}

/// join_elsewhere (sync/join.h): somebody here waits for a thread that is not here.
void wait_elsewhere(uint64_t id) {
  int birth = thread_id_node(id);
  if (birth >= node.count) {
    join_wake(id, SKEIN_ETHREAD, never_was);
  } else if (birth != node.self) {
    {
      Guard guard(lock);
      if (asked.find(id))
        return;
      asked[id] = true;
    }
    births_tell_end(id, call_begin(kept({finish_join, birth, nullptr, id, nullptr, 0})));
  } else if (!thread_id_given(id)) {
    join_wake(id, SKEIN_ETHREAD, never_was);
  } else if (!want_end_if_lives(id)) {
    join_wake(id, SKEIN_OK, nullptr); // else the waiters are woken by `ended`, or by its end here
  }
}

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
  Guard guard(lock);
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
    Guard guard(lock);
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
      Guard guard(lock);
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
      Guard guard(lock);
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

void on_slot(Arrival &arrival) {
  auto slot = static_cast<uint32_t>(arrival.body<SlotMessage>().slot);
  exchange_settle_slot(slot); // the slot may be returned before the verdict on its thread's shipment
  if (node_has_left(stack_slot_owner(slot)))
    return; // its addresses are nobody's any more
  if (!stack_slot_returned(slot))
    link_reject(arrival.from, MessageType::slot, "slot %u is no stack of this node that has left it", slot);
}

void on_foreign_slot(uint32_t slot) { link_tell<SlotMessage>(stack_slot_owner(slot), uint64_t{slot}); }

// A thread that gives back a region elsewhere has arrived there: what is still mapped of the thread here goes first.
void on_regions(Arrival &arrival) {
  auto *regions = static_cast<const FreedRegion *>(arrival.data<RegionsMessage>());
  for (size_t i = 0; i < arrival.data_bytes<RegionsMessage>() / sizeof(FreedRegion); i++) {
    exchange_settle(regions[i].thread);
    if (node_has_left(region_owner(regions[i].begin)))
      continue; // its addresses are nobody's any more
    const size_t bytes = regions[i].bytes & ~region_kept;
    const Extent extent = {regions[i].begin, bytes, bytes, ExtentKind::arguments, 0};
    if (!arguments_stay(extent) && !region_returned(regions[i]))
      return link_reject(arrival.from, MessageType::regions, "the %#llx bytes at %#llx have not left this node",
                         static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(regions[i].begin));
  }
}

void on_foreign_region(const FreedRegion &region) { outbox_region(region_owner(region.begin), region); }

// --- what a node that leaves has kept -------------------------------------------------------------------------------

// A thread that the heir inherits has a record in its table wherever it lives, also on the heir itself. There it ends
// and departs as one that was born elsewhere: the news of it come to the handlers above by way of the link.

/// An entry of a piece of the estate.
enum class Inherited : uint64_t { away, watch, debt, result, last = result };
struct InheritedEntry {
  uint64_t what; // Inherited
  uint64_t thread;
  uint64_t first;  // away: the node where it is; watch, debt: whose call it is; result: its value
  uint64_t second; // away: moves, and the bits below; watch, debt: the call; result: its WireResultKind
};
constexpr uint64_t detached_bit = UINT64_C(1) << 16, cancelled_bit = UINT64_C(1) << 17;

struct Inventory {
  InheritedEntry *entries;
  size_t count, room;
  void add(Inherited what, uint64_t thread, uint64_t first, uint64_t second) {
    if (count == room) {
      room = room ? 2 * room : 1024;
      entries = static_cast<InheritedEntry *>(realloc(entries, room * sizeof *entries));
      if (!entries)
        fatal("out of memory for the records of %zu threads", count);
    }
    entries[count++] = {static_cast<uint64_t>(what), thread, first, second};
  }
};
Inventory inventory; // of this node, which leaves

void take_inventory() {
  {
    Guard guard(lock);
    away.each([](uint64_t id, const Away &record) {
      inventory.add(Inherited::away, id, static_cast<uint64_t>(record.node),
                    record.moves | (record.detached ? detached_bit : 0) | (record.cancelled ? cancelled_bit : 0));
    });
    for (const Watch *watch = watches; watch; watch = watch->next)
      inventory.add(Inherited::watch, watch->thread, static_cast<uint64_t>(watch->from), watch->call);
    debts.each([](uint64_t id, const Debt &debt) {
      inventory.add(Inherited::debt, id, static_cast<uint64_t>(debt.from), debt.call);
    });
  }
  join_each_kept([](uint64_t id, const Result &result) {
    const WireResult out = result_out(result, false);
    inventory.add(Inherited::result, id, out.value, out.kind);
  });
}

bool next_of_estate(uint64_t &cursor) {
  if (cursor == 0)
    take_inventory();
  const size_t most = estate_most / sizeof(InheritedEntry), left = inventory.count - cursor;
  if (!left) {
    free(inventory.entries);
    inventory = {};
    return false;
  }
  const size_t count = std::min(left, most);
  estate_send(EstateKind::threads, inventory.entries + cursor, count * sizeof(InheritedEntry));
  cursor += count;
  return true;
}

bool check_estate(int from, const void *data, size_t bytes, Complaint &wrong) {
  const auto *entries = static_cast<const InheritedEntry *>(data);
  if (bytes % sizeof *entries)
    return wrong.say("%zu bytes are no records of threads", bytes);
  for (size_t i = 0; i < bytes / sizeof *entries; i++) {
    const InheritedEntry &entry = entries[i];
    const auto what = static_cast<Inherited>(entry.what);
    if (entry.what > static_cast<uint64_t>(Inherited::last) || thread_id_number(entry.thread) == 0 ||
        (thread_id_node(entry.thread) != from && what != Inherited::debt))
      return wrong.say("a record of kind %llu of a thread of node %d", static_cast<unsigned long long>(entry.what),
                       thread_id_node(entry.thread));
    if (what == Inherited::result ? entry.second > static_cast<uint64_t>(WireResultKind::image)
                                  : entry.first >= static_cast<uint64_t>(node.count))
      return wrong.say("a record of a thread with the words 0x%llx and 0x%llx",
                       static_cast<unsigned long long>(entry.first), static_cast<unsigned long long>(entry.second));
  }
  return true;
}

void take_estate(int, const void *data, size_t bytes) {
  const auto *entries = static_cast<const InheritedEntry *>(data);
  for (size_t i = 0; i < bytes / sizeof *entries; i++) {
    const auto &[what, thread, first, second] = entries[i];
    if (what == static_cast<uint64_t>(Inherited::result)) {
      join_keep(thread, result_in({first, static_cast<uint32_t>(second), 0}));
      continue;
    }
    Guard guard(lock);
    if (what == static_cast<uint64_t>(Inherited::away)) {
      away[thread] = {static_cast<int32_t>(first), static_cast<uint16_t>(second), (second & detached_bit) != 0,
                      (second & cancelled_bit) != 0};
    } else if (what == static_cast<uint64_t>(Inherited::watch)) {
      auto *watch = static_cast<Watch *>(message_memory(sizeof(Watch)));
      *watch = {thread, second, static_cast<int>(first), watches};
      watches = watch;
      watch_count.fetch_add(1, std::memory_order_seq_cst);
    } else {
      debts[thread] = {static_cast<int>(first), second};
      debt_count.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

EstatePart estate = {EstateKind::threads, false, next_of_estate, check_estate, take_estate, nullptr};

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
  link_handle<JoinMessage>(on_join);
  link_handle<DetachMessage>(on_detach);
  link_handle<CancelMessage>(on_cancel);
  link_handle<EndedMessage>(on_ended);
  link_handle<MovedMessage>(on_moved);
  link_handle<SlotMessage>(on_slot);
  link_handle<WantedMessage>(on_wanted);
  link_handle<RegionsMessage>(on_regions);
  events.thread_ended.add(on_thread_ended);
  foreign_slot_released.add(on_foreign_slot);
  foreign_region_released.add(on_foreign_region);
  estate_add(estate);
  join_elsewhere = wait_elsewhere;
  detach_elsewhere = detach;
  cancel_elsewhere = cancel;
}

void births_mark(Thread &thread) {
  if (thread_id_node(thread.id) == node.self)
    thread.births.wanted = thread.join.awaited || watched(thread.id);
}

void births_leaving(const Thread &thread, int to) {
  if (thread_id_node(thread.id) != node.self)
    return;
  Guard guard(lock);
  away[thread.id] = {to, static_cast<uint16_t>(thread.moves + 1), thread.join.detached.load(std::memory_order_relaxed),
                     thread.end.cancelled.load(std::memory_order_relaxed)};
  departures.store(departures.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void births_stayed(uint64_t id) {
  bool cancelled = false;
  {
    Guard guard(lock);
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
      Guard guard(lock);
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
  Guard guard(lock);
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

void births_answer_if_lost(uint64_t thread, int from, uint64_t call) {
  if (knobs.deaths != Deaths::survive)
    return;
  Guard guard(lock);
  debts[thread] = {from, call};
  debt_count.fetch_add(1, std::memory_order_relaxed);
}

void births_tell_end(uint64_t thread, uint64_t call) {
  const int birth = thread_id_node(thread);
  if (birth == node.self)
    return watch_end(birth, call, thread);
  link_tell<JoinMessage>(birth, call, thread);
  call_sent(call);
}

bool births_report_death(int dead, uint64_t living_there) {
  size_t count = 0;
  uint64_t *ids;
  {
    Guard guard(lock);
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
  Guard guard(lock);
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
