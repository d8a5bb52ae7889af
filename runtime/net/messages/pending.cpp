// Records of operations under way; see pending.h.
#include "net/messages/pending.h"
#include "base/id_table.h"
#include "base/text.h"
#include "net/moves/awaits.h"
#include "net/run/leaving.h"
#include "sched/sched.h"

#include <skein/pending.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

struct Record {
  bool ended, forgotten;
  int code;
  unsigned count;
  char *text;     // from malloc, or null
  unsigned *to;   // where the waiter here wants the count, or null
  Thread *waiter; // a thread of this node that waits, or null
  int from;       // the node where a thread waits
  uint64_t call;  // its call; 0: none waits elsewhere
};

SpinLock lock{Rank::net};
IdTable<Record> records;
uint64_t last_number;

int home_of(uint64_t pending) { return static_cast<int>(pending >> id_node_shift); }

constexpr char unknown[] = "there is no such operation: it never began, or its end has been told";
constexpr char taken[] = "another thread waits for this operation";

/// Tells the waiter that the operation has ended.
void tell_waiter(const Record &record) {
  const char *text = record.text ? record.text : "";
  if (record.to)
    *record.to = record.count; // on the stack of the waiter, which is blocked
  if (record.call && !record.code)
    call_reply(record.from, record.call, SKEIN_OK, &record.count, sizeof record.count);
  else if (record.call)
    call_reply(record.from, record.call, static_cast<uint64_t>(record.code), text, strlen(text));
  else if (record.code)
    wake_with_error(record.waiter, record.code, "%s", text);
  else
    thread_wake(record.waiter, SKEIN_OK);
  free(record.text);
}

/// Notes a waiter: `who` has either `waiter`, or `from` and `call`. Null, or the reason why it need not wait.
const char *wait(uint64_t pending, const Record &who) {
  Record done;
  {
    Guard guard(lock);
    Record *record = records.find(pending);
    if (!record || record->forgotten)
      return unknown;
    if (record->waiter || record->call)
      return taken;
    record->waiter = who.waiter;
    record->to = who.to;
    record->from = who.from;
    record->call = who.call;
    if (!record->ended)
      return nullptr;
    done = *record;
    records.erase(pending);
  }
  tell_waiter(done);
  return nullptr;
}

bool has_ended(uint64_t pending) {
  Guard guard(lock);
  Record *record = records.find(pending);
  return record && record->ended;
}

void forget(uint64_t pending) {
  Guard guard(lock);
  Record *record = records.find(pending);
  if (!record || record->waiter || record->call)
    return;
  if (!record->ended) {
    record->forgotten = true;
    return;
  }
  free(record->text);
  records.erase(pending);
}

void on_await(Arrival &arrival) {
  const auto &ask = arrival.body<AwaitMessage>();
  switch (static_cast<AwaitWhat>(ask.what)) {
  case AwaitWhat::end:
    if (const char *why = wait(ask.pending, {false, false, 0, 0, nullptr, nullptr, nullptr, arrival.from, ask.call}))
      call_reply(arrival.from, ask.call, SKEIN_ETHREAD, why, strlen(why));
    break;
  case AwaitWhat::test:
    call_reply(arrival.from, ask.call, has_ended(ask.pending));
    break;
  case AwaitWhat::nothing:
    forget(ask.pending);
    break;
  case AwaitWhat::answer:
    await_asked(arrival.from, ask.call, ask.pending);
  }
}

uint64_t number(AwaitWhat what) { return static_cast<uint64_t>(what); }

/// SKEIN_OK, or an error code if no node can be asked; then the error text of `self` says why.
int check(Thread *self, uint64_t pending, const char *function) {
  thread_error_clear(self);
  if (!pending || home_of(pending) >= node.count)
    return thread_error(self, SKEIN_ETHREAD, "%s: %s", function, unknown);
  if (!link_keeps(home_of(pending)))
    return thread_error(self, SKEIN_EDEAD, "%s: node %d, which began it, is dead", function, home_of(pending));
  return SKEIN_OK;
}

void ask(Thread *self, uint64_t pending, AwaitWhat what, decltype(Call::finish) finish, unsigned *to = nullptr) {
  int home = home_of(pending);
  uint64_t call = call_begin(kept({finish, home, self, 0, to, sizeof *to}));
  link_tell<AwaitMessage>(home, call, pending, number(what));
  call_sent(call);
}

void finish_wait(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, sizeof Record::count);
  if (call.place && reply && !reply->value)
    memcpy(call.place, reply + 1, data_bytes);
  finish_with_code(call, reply, data_bytes);
}

extern "C" Thread *skein_pending_wait_count_call(Thread *self, uint64_t pending, uint64_t to_word) {
  auto *to = reinterpret_cast<unsigned *>(to_word);
  self->result = static_cast<uint64_t>(check(self, pending, "skein_pending_wait"));
  if (self->result)
    return self;
  thread_block(self, "skein_pending_wait", reinterpret_cast<void *>(pending));
  if (home_of(pending) != node.self)
    ask(self, pending, AwaitWhat::end, finish_wait, to);
  else if (const char *why = wait(pending, {false, false, 0, 0, nullptr, to, self, 0, 0}))
    wake_with_error(self, SKEIN_ETHREAD, "skein_pending_wait: %s", why);
  return thread_next();
}

extern "C" Thread *skein_pending_wait_call(Thread *self, uint64_t pending) {
  return skein_pending_wait_count_call(self, pending, 0);
}

void finish_test(const Call &call, const ReplyMessage *reply, size_t) {
  if (reply && reply->value > 1)
    reply = call_distrust(call, "0x%llx says neither that an operation has ended nor that it has not",
                          static_cast<unsigned long long>(reply->value));
  thread_wake(call.waiter, reply ? reply->value : 1); // to wait for it takes no time then
}

extern "C" Thread *skein_pending_test_call(Thread *self, uint64_t pending) {
  self->result = 0;
  if (check(self, pending, "skein_pending_test"))
    return self;
  if (home_of(pending) == node.self) {
    self->result = has_ended(pending);
    return self;
  }
  thread_block(self, "skein_pending_test", reinterpret_cast<void *>(pending));
  ask(self, pending, AwaitWhat::test, finish_test);
  return thread_next();
}

extern "C" Thread *skein_pending_forget_call(Thread *self, uint64_t pending) {
  if (check(self, pending, "skein_pending_forget"))
    return self;
  if (home_of(pending) == node.self)
    forget(pending);
  else
    link_tell<AwaitMessage>(home_of(pending), uint64_t{0}, pending, number(AwaitWhat::nothing));
  return self;
}

// --- what a node that leaves has kept -------------------------------------------------------------------------------

/// Those that have not ended, or for whose end a thread waits, are waited for.
const char *operations_stay(char *words, size_t bytes) {
  size_t open = 0;
  Guard guard(lock);
  records.each([&](uint64_t, const Record &record) { open += !record.ended; });
  if (!open)
    return nullptr;
  snprintf(words, bytes, "has %zu operation%s under way", open, open == 1 ? "" : "s");
  return words;
}
Remainder remainder = {operations_stay, nullptr};

struct Inherited {
  uint64_t pending;
  int32_t code;
  uint32_t count;
  char text[error_text_bytes]; // NUL-terminated
};
static_assert(sizeof(Inherited) % 8 == 0);

bool next_of_estate(uint64_t &cursor) {
  if (cursor)
    return false;
  cursor = 1;
  Inherited *all;
  size_t count = 0;
  {
    Guard guard(lock);
    all = static_cast<Inherited *>(message_memory((records.size() + 1) * sizeof *all));
    records.each([&](uint64_t pending, const Record &record) {
      Inherited &one = all[count++] = {pending, record.code, record.count, {}};
      snprintf(one.text, sizeof one.text, "%s", record.text ? record.text : "");
    });
  }
  constexpr size_t most = estate_most / sizeof(Inherited);
  for (size_t at = 0; at < count; at += most)
    estate_send(EstateKind::operations, all + at, std::min(most, count - at) * sizeof *all);
  free(all);
  return true;
}

bool check_estate(int from, const void *data, size_t bytes, Complaint &wrong) {
  const auto *all = static_cast<const Inherited *>(data);
  if (bytes % sizeof *all)
    return wrong.say("%zu bytes are no operations", bytes);
  for (size_t i = 0; i < bytes / sizeof *all; i++)
    if (home_of(all[i].pending) != from || all[i].code < 0 || all[i].code > error_most ||
        !memchr(all[i].text, 0, sizeof all[i].text))
      return wrong.say("an operation 0x%llx with the code %d", static_cast<unsigned long long>(all[i].pending),
                       all[i].code);
  return true;
}

void take_estate(int, const void *data, size_t bytes) {
  const auto *all = static_cast<const Inherited *>(data);
  Guard guard(lock);
  for (size_t i = 0; i < bytes / sizeof *all; i++) {
    const Inherited &one = all[i];
    records[one.pending] = {.ended = true,
                            .forgotten = false,
                            .code = one.code,
                            .count = one.count,
                            .text = one.text[0] ? text_copy(one.text) : nullptr,
                            .to = nullptr,
                            .waiter = nullptr,
                            .from = 0,
                            .call = 0};
  }
}
EstatePart estate = {EstateKind::operations, false, next_of_estate, check_estate, take_estate, nullptr};

} // namespace

void pending_start() {
  link_handle<AwaitMessage>(on_await);
  remainder_add(remainder);
  estate_add(estate);
}

uint64_t pending_new() {
  Guard guard(lock);
  uint64_t pending = static_cast<uint64_t>(node.self) << id_node_shift | ++last_number;
  records[pending] = {};
  return pending;
}

void pending_end(uint64_t pending, int code, const char *text, unsigned count) {
  Record done;
  char *copy = code && text ? text_copy(text) : nullptr;
  {
    Guard guard(lock);
    Record *record = records.find(pending);
    if (!record || record->ended) {
      free(copy);
      return;
    }
    record->ended = true;
    record->code = code;
    record->count = count;
    record->text = copy;
    if (!record->waiter && !record->call && !record->forgotten)
      return;
    done = *record;
    records.erase(pending);
  }
  if (done.forgotten)
    free(done.text);
  else
    tell_waiter(done);
}

void pending_finish(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, any_bytes);
  char text[error_text_bytes];
  if (!reply)
    snprintf(text, sizeof text, "node %d died before it answered", call.peer);
  else
    snprintf(text, sizeof text, "%.*s", reply->value ? static_cast<int>(data_bytes) : 0, reply_data(reply));
  pending_end(call.id, reply ? static_cast<int>(reply->value) : SKEIN_EDEAD, text);
}

} // namespace skein
