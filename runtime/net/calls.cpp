// The table of calls under way; see calls.h.
//
// Death against beginning: a caller inserts its call, sends, and then looks whether the peer still lives; membership
// marks the peer dead first and fails its calls afterwards. Whoever is later finds the call.
#include "net/calls.h"
#include "base/id_table.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace skein {

namespace {

SpinLock lock{Rank::net};
IdTable<Call> calls;
uint64_t last_number;

void on_reply(Arrival &arrival) {
  const auto &reply = arrival.body<ReplyMessage>();
  Call call;
  if (call_take(reply.call, call))
    call.finish(call, &reply, arrival.data_bytes<ReplyMessage>());
}

bool on_reply_at_once(const Arrival &arrival, Answer &) {
  const auto &reply = arrival.body<ReplyMessage>();
  Guard guard(lock);
  Call *found = calls.find(reply.call);
  if (!found || !found->at_once)
    return false;
  const Call call = *found;
  calls.erase(reply.call);
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

bool call_take(uint64_t number, Call &call) {
  Guard guard(lock);
  return calls.take(number, call);
}

void call_sent(uint64_t number) {
  Call call;
  {
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
  Call *call = calls.find(number);
  if (call)
    *call = was;
  return call != nullptr;
}

void calls_fail(int peer) {
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
