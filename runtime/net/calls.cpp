// The table of calls under way; see calls.h.
//
// Calls in place are in a slot of their worker: the number says which, and in which turn. Whoever changes a slot's
// number from that to 0 has the call; nobody writes to it before.
//
// Death against beginning: a caller inserts its call, sends, and then looks whether the peer still lives; membership
// marks the peer dead first and fails its calls afterwards. Whoever is later finds the call.
#include "net/calls.h"
#include "base/id_table.h"
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
  std::atomic<uint64_t> number; // 0: free, or taken by who finishes it
  uint64_t turn;
  Call call;
};
Slot slots[workers_most];
static_assert(workers_most <= 1 << 16);

/// The call of a number that is in place; false: it is no more.
bool take_in_place(uint64_t number, Call &call) {
  Slot &slot = slots[(number & 0xffff) % workers_most];
  if (slot.number.load(std::memory_order_acquire) != number) // pairs with the release in call_begin_in_place
    return false;
  call = slot.call;
  return slot.number.compare_exchange_strong(number, 0, std::memory_order_acq_rel);
}

void on_reply(Arrival &arrival) {
  const auto &reply = arrival.body<ReplyMessage>();
  Call call;
  if (call_take(reply.call, call))
    call.finish(call, &reply, arrival.data_bytes<ReplyMessage>());
}

bool on_reply_at_once(const Arrival &arrival, Answer &) {
  const auto &reply = arrival.body<ReplyMessage>();
  Call call;
  if (!(reply.call & in_place_bit) || !take_in_place(reply.call, call))
    return false;
  call.finish(call, &reply, arrival.data_bytes<ReplyMessage>());
  return true;
}

} // namespace

void calls_start() {
  link_handle<ReplyMessage>(on_reply);
  link_handle_at_once(MessageType::reply, on_reply_at_once);
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

bool call_take_part(uint64_t number, uint32_t answer, uint32_t threads, uint32_t accepted, Call &call) {
  Guard guard(lock);
  Call *found = calls.find(number);
  if (!found)
    return false;
  found->answer += answer;
  found->come += threads;
  found->accepted += accepted;
  return found->come == found->answer && calls.take(number, call);
}

void call_sent(uint64_t number) {
  Call call;
  if (number & in_place_bit) { // sending was a barrier between the slot's number and this look
    const Slot &slot = slots[number & 0xffff];
    if (link_alive(slot.call.peer) || !take_in_place(number, call))
      return;
  } else {
    Guard guard(lock);
    Call *found = calls.find(number);
    if (!found || link_alive(found->peer))
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
      call->waiter->await_call = number; // it is blocked: who wakes it takes the call first
  }
  call_sent(number);
}

Thread *call_detach(uint64_t id, decltype(Call::finish) finish, void *place, Call &was, uint64_t &number) {
  Guard guard(lock);
  Thread *thread = nullptr;
  thread_with(id, [&](Thread *found) {
    if (!found->bound)
      thread = found;
    number = found->await_call;
  });
  // While the call is in the table, under this lock, its waiter is blocked and its record its own. Numbers do not
  // return, so an old one finds nothing.
  Call *call = thread ? calls.find(number) : nullptr;
  if (!call || call->waiter != thread)
    return nullptr;
  was = *call;
  *call = {finish, was.peer, nullptr, number, place, 0};
  return thread;
}

bool call_attach(uint64_t number, const Call &was) {
  Guard guard(lock);
  if (number & in_place_bit) {
    calls[number] = was; // first: then its answer finds one or the other
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

void calls_fail(int peer) {
  for (Slot &slot : slots) {
    const uint64_t number = slot.number.load(std::memory_order_acquire);
    if (Call call; number && slot.call.peer == peer && take_in_place(number, call))
      call.finish(call, nullptr, 0);
  }
  for (;;) {
    uint64_t number = 0;
    Call call;
    {
      Guard guard(lock);
      calls.each([&](uint64_t id, Call &candidate) {
        if (candidate.peer == peer)
          number = id;
      });
      if (!number)
        return;
      calls.take(number, call);
    }
    call.finish(call, nullptr, 0);
  }
}

void call_reply(int to, uint64_t call, uint64_t value, const void *data, size_t data_bytes, bool plain) {
  auto *reply = message_new<ReplyMessage>(data_bytes);
  reply->call = call;
  reply->value = value;
  if (data_bytes)
    memcpy(reply + 1, data, data_bytes);
  if (to != node.self)
    return plain ? link_send_plain(to, reply, data_bytes) : link_send(to, reply, data_bytes);
  Call own;
  if (call_take(call, own))
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

void finish_with_code(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  if (!reply)
    wake_with_error(call.waiter, SKEIN_EDEAD, "node %d died before it answered", call.peer);
  else if (reply->value)
    wake_with_error(call.waiter, static_cast<int>(reply->value), "%.*s", static_cast<int>(data_bytes),
                    reinterpret_cast<const char *>(reply + 1));
  else
    thread_wake(call.waiter, SKEIN_OK);
}

} // namespace skein
