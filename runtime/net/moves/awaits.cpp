// Answers that follow their threads; see awaits.h.
#include "net/moves/awaits.h"
#include "base/id_table.h"
#include "private/regions/extents.h"
#include "private/regions/regions.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr uint64_t address_bit = UINT64_C(1) << 63;

/// Where results go, as nodes tell each other: the distance from the end of the waiter's stack or, with address_bit, an
/// address in private memory. 0: there are none.
uint64_t place_word(const Thread &thread, const void *place) {
  if (!place)
    return 0;
  const auto *at = static_cast<const std::byte *>(place);
  if (at >= thread.stack.low && at < thread.stack.high)
    return static_cast<uint64_t>(thread.stack.high - at);
  return reinterpret_cast<uint64_t>(place) | address_bit;
}

/// False: that place is not the thread's own, in its private memory or above its stack pointer.
bool write_at(const Thread &thread, uint64_t place, const void *data, size_t bytes) {
  if (place & address_bit) {
    const uint64_t address = place & ~address_bit;
    const Extent *extent = extent_containing(thread, address);
    if (!extent || bytes > extent->end() - address)
      return false;
    memcpy(reinterpret_cast<void *>(address), data, bytes);
    return true;
  }
  const auto live = static_cast<uint64_t>(thread.stack.high - static_cast<const std::byte *>(thread.sp));
  if (bytes > place || place > live)
    return false;
  memcpy(thread.stack.high - place, data, bytes);
  return true;
}

/// A wait that a thread left behind: in the table as long as somebody may still say what becomes of its answer, and the
/// `place` of the call until that is finished.
struct Left {
  Call call; // as it was
  const char *reason;
  void *object;
  uint64_t place;
  int to; // where the thread went
  // Under the lock:
  bool answered;
  bool dead;            // nobody will want the answer
  Thread *back;         // who waits here again after all
  uint64_t follow;      // else the call of `to` that is to be answered, if not 0
  ReplyMessage *answer; // from malloc; null: the peer died
  size_t data_bytes;
};

SpinLock lock{Rank::net};
IdTable<Left *> waits; // by call

void finish_arrived(const Call &call, const ReplyMessage *reply, size_t data_bytes);

void follow(const Left &left) {
  const char *data = reply_data(left.answer);
  const size_t bytes = left.data_bytes;
  char text[error_text_bytes];
  if (!left.answer) {
    snprintf(text, sizeof text, "%s: node %d died", left.reason, left.call.peer);
    call_reply(left.to, left.follow, SKEIN_EDEAD, text, strlen(text));
  } else if (left.call.finish == finish_arrived) { // from a node that the thread left before: as that put it
    call_reply(left.to, left.follow, left.answer->value, data, bytes);
  } else if (left.answer->value) {
    snprintf(text, sizeof text, "%s: %.*s", left.reason, static_cast<int>(bytes), data);
    call_reply(left.to, left.follow, left.answer->value, text, strlen(text));
  } else if (!left.place || bytes != left.call.place_bytes) {
    call_reply(left.to, left.follow, SKEIN_OK);
  } else {
    auto *placed = static_cast<char *>(message_memory(sizeof left.place + bytes));
    memcpy(placed, &left.place, sizeof left.place);
    memcpy(placed + sizeof left.place, data, bytes);
    call_reply(left.to, left.follow, SKEIN_OK, placed, sizeof left.place + bytes);
    free(placed);
  }
}

/// It is answered and out of the table.
void pass_on(Left *left) {
  if (left->back)
    left->call.finish(left->call, left->answer, left->data_bytes); // as if it had never left
  else if (!left->dead)
    follow(*left);
  free(left->answer);
  free(left);
}

/// Somebody says what becomes of the answer to call `number`: say(left) returns false if he may not. False then, or if
/// there is no such wait.
template <class Say> bool settle(uint64_t number, Say &&say) {
  Left *left;
  {
    Guard guard(lock);
    Left **found = waits.find(number);
    if (!found || !say(**found))
      return false;
    left = *found;
    if (!left->answered)
      return true;
    waits.erase(number);
  }
  pass_on(left);
  return true;
}

/// The answer to a call whose waiter has left.
void finish_left(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *left = static_cast<Left *>(call.place);
  ReplyMessage *copy = nullptr;
  if (reply) {
    copy = static_cast<ReplyMessage *>(message_memory(sizeof *reply + data_bytes));
    memcpy(copy, reply, sizeof *reply + data_bytes);
  }
  {
    Guard guard(lock);
    left->answered = true;
    left->answer = copy;
    left->data_bytes = data_bytes;
    if (!left->back && !left->follow && !left->dead)
      return;
    waits.erase(call.id);
  }
  pass_on(left);
}

/// The answer for a thread that arrived here waiting. It has not run here yet, so its bundle has not heard of it.
void finish_arrived(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  Thread *thread = call.waiter;
  const char *data = reply_data(reply);
  reply = call_checked(call, reply, data_bytes, any_bytes);
  if (uint64_t place; reply && !reply->value && data_bytes) {
    if (data_bytes >= sizeof place)
      memcpy(&place, data, sizeof place);
    if (data_bytes < sizeof place || !write_at(*thread, place, data + sizeof place, data_bytes - sizeof place))
      reply = call_distrust(call, "its %zu bytes belong nowhere in the thread that waits for them", data_bytes);
  }
  const int code = reply ? static_cast<int>(reply->value) : SKEIN_EDEAD;
  if (!reply)
    thread_error(thread, code, "%s: node %d died, which the thread had left while it waited", thread->wait_reason,
                 call.peer);
  else if (code)
    thread_error(thread, code, "%.*s", static_cast<int>(data_bytes), data);
  thread->result = static_cast<uint64_t>(code);
  thread_arrived(thread);
}

} // namespace

bool await_may_leave(const Thread &self, const void *place) {
  const auto *at = static_cast<const std::byte *>(place);
  return !place || (at >= self.stack.low && at < self.stack.high) ||
         in_private_range(reinterpret_cast<uintptr_t>(place));
}

Thread *await_take(uint64_t id, int to) {
  auto *left = static_cast<Left *>(message_memory(sizeof(Left)));
  *left = {};
  left->to = to;
  uint64_t number;
  Thread *thread = call_detach(id, finish_left, left, left->call, number);
  if (!thread) {
    free(left);
    return nullptr;
  }
  // The thread is ours; the answer may come, but is kept.
  thread->state.store(ThreadState::in_flight, std::memory_order_relaxed);
  left->reason = thread->wait_reason;
  left->object = thread->wait_object;
  left->place = place_word(*thread, left->call.place);
  thread->result = number;
  thread->awaiting = true;
  Guard guard(lock);
  waits[number] = left;
  return thread;
}

void await_again(Thread *thread) {
  const uint64_t number = thread->result;
  Left *left;
  {
    Guard guard(lock);
    left = *waits.find(number);
  }
  const Call call = left->call;
  thread->awaiting = false;
  thread->wait_reason = left->reason;
  thread->wait_object = left->object;
  thread->state.store(ThreadState::blocked, std::memory_order_relaxed);
  if (!call_attach(number, call)) { // finish_left has it, or will in a moment
    settle(number, [&](Left &found) {
      found.back = thread;
      return true;
    });
    return;
  }
  // As if nothing had been. Nobody else knows `left`, since nobody has taken the call.
  {
    Guard guard(lock);
    waits.erase(number);
  }
  free(left);
}

void await_lost(const Thread *thread) {
  settle(thread->result, [](Left &left) { return left.dead = true; });
}

void await_arrived(Thread *thread, int from) {
  const uint64_t left = thread->result;
  thread->awaiting = false;
  thread->wait_reason = "a wait that began on another node";
  thread->wait_object = nullptr;
  thread->state.store(ThreadState::blocked, std::memory_order_relaxed);
  const uint64_t call = call_begin({finish_arrived, from, thread, 0, nullptr, 0});
  link_tell<AwaitMessage>(from, call, left, static_cast<uint64_t>(AwaitWhat::answer));
  call_sent_movable(call);
}

void await_asked(int from, uint64_t call, uint64_t left) {
  const bool known = settle(left, [&](Left &found) {
    if (found.to != from || found.follow)
      return false;
    found.follow = call;
    return true;
  });
  constexpr char unknown[] = "no thread left such a wait behind";
  if (!known)
    call_reply(from, call, SKEIN_ETHREAD, unknown, sizeof unknown - 1);
}

void await_fail(int peer) {
  for (;;) {
    uint64_t number = 0;
    {
      Guard guard(lock);
      waits.each([&](uint64_t id, Left *&left) {
        if (left->to == peer && !left->back && !left->dead)
          number = id;
      });
    }
    if (!number)
      return;
    settle(number, [](Left &left) { return left.dead = true; });
  }
}

} // namespace skein
