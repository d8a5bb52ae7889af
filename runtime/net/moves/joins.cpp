// Joins over nodes, and other calls that are answered when a thread ends; see births.h.
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
#include "base/knobs.h"
#include "migrate/modules.h"
#include "net/messages/calls.h"
#include "net/moves/birth_records.h"
#include "net/moves/outbox.h"

#include <skein/skein.h>

#include <cstdio>
#include <cstring>

namespace skein {

IdTable<Debt> debts;
std::atomic<uint32_t> debt_count{0};
Watch *watches;
std::atomic<uint32_t> watch_count{0};

namespace {

constexpr char never_was[] = "skein_join: there is and was no thread of that id";

IdTable<bool> asked; // threads born elsewhere whose birth node owes us a reply; under births_lock

void on_wanted(Arrival &arrival) {
  auto *ids = static_cast<const uint64_t *>(arrival.data<WantedMessage>());
  bool any_gone = false;
  for (size_t i = 0; i < arrival.data_bytes<WantedMessage>() / sizeof(uint64_t); i++)
    any_gone |= !thread_with(ids[i], [](Thread *thread) { thread->births.wanted = true; });
  if (any_gone)
    outbox_send(arrival.from); // the news of its end or move may still be here
}

/// Takes the watches on a thread out of the list.
Watch *take_watches(uint64_t id) {
  Watch *taken = nullptr;
  Guard guard(births_lock);
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

/// Takes the call that a thread born here has to answer, if there is one.
bool take_debt(uint64_t id, Debt &debt) {
  // Relaxed suffices: the debt was entered before the thread began, and a lock of the table or of a queue lies between.
  if (!debt_count.load(std::memory_order_relaxed))
    return false;
  Guard guard(births_lock);
  if (!debts.take(id, debt))
    return false;
  debt_count.fetch_sub(1, std::memory_order_relaxed);
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

/// Arranges that `call` of node `from` is answered when a thread born here has ended.
void watch_end(int from, uint64_t call, uint64_t thread) {
  if (!may_keep(thread)) {
    call_reply(from, call, SKEIN_ETHREAD, never_was, sizeof never_was - 1);
    return;
  }
  auto *watch = static_cast<Watch *>(message_memory(sizeof(Watch)));
  {
    Guard guard(births_lock);
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
    Guard guard(births_lock); // before the waiters are woken: one that is on the list too late for that must ask again
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
      Guard guard(births_lock);
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

} // namespace

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

bool watched(uint64_t id) {
  if (!watch_count.load(std::memory_order_relaxed))
    return false;
  Guard guard(births_lock);
  for (Watch *watch = watches; watch; watch = watch->next)
    if (watch->thread == id)
      return true;
  return false;
}

void answer_watches(uint64_t id, int code, const char *text, const Result *result) {
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

void forget_debt(uint64_t id) {
  Debt debt;
  take_debt(id, debt);
}

void fail_debt(uint64_t id, int dead) {
  Debt debt;
  if (!take_debt(id, debt) || !link_alive(debt.from))
    return;
  char why[96];
  snprintf(why, sizeof why, "the handler's thread was lost with node %d", dead);
  call_reply(debt.from, debt.call, SKEIN_EDEAD, why, strlen(why));
}

void fail_lost_thread(uint64_t id, int dead) {
  fail_debt(id, dead);
  char why[96];
  snprintf(why, sizeof why, "skein_join: the thread was lost with node %d", dead);
  answer_watches(id, SKEIN_EDEAD, why);
  join_wake(id, SKEIN_EDEAD, why);
}

bool want_end(uint64_t id) {
  int place;
  {
    Guard guard(births_lock);
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

void births_answer_if_lost(uint64_t thread, int from, uint64_t call) {
  if (knobs.deaths != Deaths::survive)
    return;
  Guard guard(births_lock);
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

void joins_start() {
  link_handle<JoinMessage>(on_join);
  link_handle<WantedMessage>(on_wanted);
  join_elsewhere = wait_elsewhere;
}
} // namespace skein
