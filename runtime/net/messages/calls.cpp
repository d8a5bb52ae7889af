// The table of calls under way; see calls.h.
//
// A call in place lies in a slot of its worker. Its number says which slot, and how often that was used before. The
// kernel thread that changes the number in the slot to 0 has taken the call; no other one writes to the slot.
//
// A peer may die while a call to it is begun. The caller inserts the call, sends it, and then looks whether the peer is
// alive. Membership marks the peer dead first, and finishes its calls afterwards. The later of the two finds the call.
#include "net/messages/calls.h"
#include "abi/channel_calls.h"
#include "base/id_table.h"
#include "base/knobs.h"
#include "sched/worker.h"

#include <skein/skein.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace skein {

namespace {

SpinLock lock{Rank::net};
IdTable<Call> calls;
uint64_t last_number;

constexpr uint64_t in_place_bit = UINT64_C(1) << 63;
struct alignas(64) Slot {
  std::atomic<uint64_t> number; // 0: free, or taken by the kernel thread that finishes the call
  uint64_t turn = 0;
  Call call = {};
};
constinit Slot slots[workers_most];
static_assert(workers_most <= 1 << 16);

constexpr int whoever = -1;

bool may_answer(const Call &call, int from) {
  return from == whoever || call.by == AnsweredBy::anybody || (call.by == AnsweredBy::peer && call.peer == from) ||
         (call.kept && from == 0 && !link_takes(call.peer)); // the heir may know before this node that it is that
}

/// Whether somebody may still answer the call.
bool has_answerer(const Call &call) { return link_reaches(call.kept ? keeper_of(call.peer) : call.peer); }

/// Takes a call in place. False: it has been taken, or `from` may not answer it.
bool take_in_place(uint64_t number, Call &call, int from = whoever) {
  Slot &slot = slots[(number & 0xffff) % workers_most];
  if (slot.number.load(std::memory_order_acquire) != number) // pairs with the release in call_begin_in_place
    return false;
  call = slot.call;
  return may_answer(call, from) && slot.number.compare_exchange_strong(number, 0, std::memory_order_acq_rel);
}

/// Whether a call of this number was ever begun.
bool was_begun(uint64_t number) {
  if (!(number & in_place_bit)) {
    Guard guard(lock);
    return number <= last_number;
  }
  const uint64_t index = number & 0xffff, turn = (number & ~in_place_bit) >> 16;
  return index < workers_most && turn && turn <= __atomic_load_n(&slots[index].turn, __ATOMIC_RELAXED);
}

/// Whether an answer to a call that is finished already is no error of its sender. After a death, of which the sender
/// may know before this node does, calls that a handler had passed on have failed, and several nodes may answer.
bool may_be_late(uint64_t number) {
  return was_begun(number) && (knobs.deaths == Deaths::survive || !link_all_alive());
}

/// Takes the call that this reply answers. False: there is none, or its sender may not answer it.
bool take_answered(uint64_t number, int from, Call &call) {
  if (number & in_place_bit && take_in_place(number, call, from))
    return true;
  Guard guard(lock);
  Call *found = calls.find(number);
  if (!found || !may_answer(*found, from))
    return false;
  call = *found;
  calls.erase(number);
  return true;
}

void on_reply(Arrival &arrival) {
  const auto &reply = arrival.body<ReplyMessage>();
  Call call;
  if (take_answered(reply.call, arrival.from, call))
    call.finish(call, &reply, arrival.data_bytes<ReplyMessage>());
  else if (!may_be_late(reply.call))
    link_reject(arrival.from, MessageType::reply, "no call 0x%llx of this node waits for it",
                static_cast<unsigned long long>(reply.call));
}

bool on_reply_at_once(const Arrival &arrival, Answer &) {
  const auto &reply = arrival.body<ReplyMessage>();
  Call call;
  if (!(reply.call & in_place_bit) || !take_in_place(reply.call, call, arrival.from))
    return false;
  call.finish(call, &reply, arrival.data_bytes<ReplyMessage>());
  return true;
}

} // namespace

void calls_start() {
  link_handle<ReplyMessage>(on_reply);
  link_handle_at_once<ReplyMessage>(on_reply_at_once);
}

uint64_t call_begin(const Call &call) {
  Guard guard(lock);
  calls[++last_number] = call;
  return last_number;
}

uint64_t call_begin_in_place(const Call &call) {
  const uint64_t index = worker_current()->index;
  Slot &slot = slots[index];
  const uint64_t number = in_place_bit | ++slot.turn << 16 | index;
  slot.call = call;
  slot.number.store(number, std::memory_order_release); // pairs with the acquire in take_in_place
  return number;
}

bool call_take(uint64_t number, Call &call) {
  if (number & in_place_bit && take_in_place(number, call))
    return true;
  Guard guard(lock);
  return calls.take(number, call);
}

bool call_is_steal(uint64_t number, int from) {
  Guard guard(lock);
  const Call *found = calls.find(number);
  return found && found->by == AnsweredBy::threads && found->peer == from;
}

AnswerPart call_take_part(uint64_t number, uint32_t answer, uint32_t threads, uint32_t accepted, Call &call) {
  Guard guard(lock);
  Call *found = calls.find(number);
  if (!found || (found->answer && answer))
    return AnswerPart::wrong;
  found->answer += answer;
  found->come += threads;
  found->accepted += accepted;
  if (found->answer && found->come > found->answer)
    return AnswerPart::wrong; // the call stays, and fails when its peer is declared dead
  return found->come == found->answer && calls.take(number, call) ? AnswerPart::last : AnswerPart::more;
}

void call_sent(uint64_t number) {
  Call call;
  if (number & in_place_bit) { // sending was a barrier between the slot's number and this look
    const Slot &slot = slots[number & 0xffff];
    if (has_answerer(slot.call) || !take_in_place(number, call))
      return;
  } else {
    Guard guard(lock);
    Call *found = calls.find(number);
    if (!found || has_answerer(*found))
      return;
    call = *found;
    calls.erase(number);
  }
  call.finish(call, nullptr, 0);
}

void call_sent_movable(uint64_t number) {
  {
    Guard guard(lock);
    if (Call *call = calls.find(number))
      call->waiter->await.call = number; // it is blocked, since the call must be taken before it is woken
  }
  call_sent(number);
}

Thread *call_detach(uint64_t id, decltype(Call::finish) finish, void *place, Call &was, uint64_t &number) {
  Guard guard(lock);
  Thread *thread = nullptr;
  thread_with(id, [&](Thread *found) {
    if (!found->bound)
      thread = found;
    number = found->await.call;
  });
  // While the call is in the table, under this lock, its waiter is blocked and its record belongs to no other thread.
  // Numbers are never used again, so an old one finds nothing.
  Call *call = thread ? calls.find(number) : nullptr;
  if (!call || call->waiter != thread)
    return nullptr;
  was = *call;
  *call = {finish, was.peer, nullptr, number, place, 0};
  call->by = was.by;
  call->measured = was.measured;
  call->kept = was.kept;
  return thread;
}

bool call_attach(uint64_t number, const Call &was) {
  Guard guard(lock);
  if (number & in_place_bit) {
    calls[number] = was; // before the slot is freed, so that the answer finds one of the two
    Call before;
    if (take_in_place(number, before))
      return true;
    calls.erase(number);
    return false;
  }
  Call *call = calls.find(number);
  if (call)
    *call = was;
  return call != nullptr;
}

namespace {
/// Finishes all calls to the peer of which it is the case that there is no answer.
void finish_without(int peer, bool (*lost)(const Call &)) {
  for (Slot &slot : slots) {
    const uint64_t number = slot.number.load(std::memory_order_acquire);
    if (Call call; number && slot.call.peer == peer && lost(slot.call) && take_in_place(number, call))
      call.finish(call, nullptr, 0);
  }
  for (;;) {
    uint64_t number = 0;
    Call call;
    {
      Guard guard(lock);
      calls.each([&](uint64_t id, Call &candidate) {
        if (candidate.peer == peer && lost(candidate))
          number = id;
      });
      if (!number)
        return;
      calls.take(number, call);
    }
    call.finish(call, nullptr, 0);
  }
}
} // namespace

void calls_fail(int peer) {
  finish_without(peer, [](const Call &) { return true; });
}

void calls_leave(int peer) {
  finish_without(peer, [](const Call &call) { return !call.kept && call.by != AnsweredBy::anybody; });
}

bool calls_under_way() {
  for (const Slot &slot : slots)
    if (slot.number.load(std::memory_order_acquire))
      return true;
  bool any = false;
  Guard guard(lock);
  calls.each([&](uint64_t, const Call &call) { any |= call.by != AnsweredBy::threads; });
  return any;
}

void call_reply(int to, uint64_t call, uint64_t value, const void *data, size_t data_bytes, bool plain) {
  auto *reply = message_new<ReplyMessage>(data_bytes);
  reply->call = call;
  reply->value = value;
  if (data_bytes)
    memcpy(reply + 1, data, data_bytes);
  call_answer(to, reply, data_bytes, plain);
}

void call_answer(int to, ReplyMessage *reply, size_t data_bytes, bool plain) {
  if (to != node.self)
    return link_send(to, reply, data_bytes, plain);
  Call own;
  if (call_take(reply->call, own))
    own.finish(own, reply, data_bytes);
  free(reply);
}

void wake_with_error(Thread *waiter, int code, const char *format, ...) {
  char text[error_text_bytes];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  thread_error(waiter, code, "%s", text);
  thread_wake(waiter, static_cast<uint64_t>(code));
}

const ReplyMessage *call_distrust(const Call &call, const char *format, ...) {
  Complaint wrong;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(wrong.text, sizeof wrong.text, format, arguments);
  va_end(arguments);
  link_reject(call.peer, MessageType::reply, "%s", wrong.text);
  return nullptr;
}

const ReplyMessage *call_checked(const Call &call, const ReplyMessage *reply, size_t data_bytes,
                                 size_t expected_bytes) {
  constexpr size_t words_most = 4096;
  if (!reply)
    return nullptr;
  if (reply->value == SKEIN_OK && expected_bytes != any_bytes && data_bytes != expected_bytes)
    return call_distrust(call, "%zu bytes of data, and %zu were asked for", data_bytes, expected_bytes);
  const uint64_t code = call.measured ? reply->value & SKEIN_CHANNEL_CODE : reply->value;
  const bool again = call.measured && code == SKEIN_CHANNEL_AGAIN;
  if ((code > error_most && !again) || (code && data_bytes > words_most))
    return call_distrust(call, "0x%llx is no code of an error, with %zu bytes of words",
                         static_cast<unsigned long long>(reply->value), data_bytes);
  return reply;
}

void finish_with_code(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, any_bytes);
  if (!reply)
    wake_with_error(call.waiter, SKEIN_EDEAD, "node %d died before it answered", call.peer);
  else if (reply->value)
    wake_with_error(call.waiter, static_cast<int>(reply->value), "%.*s", static_cast<int>(data_bytes),
                    reinterpret_cast<const char *>(reply + 1));
  else
    thread_wake(call.waiter, SKEIN_OK);
}

} // namespace skein
