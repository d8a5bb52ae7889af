// Answers that follow threads which have departed while they waited; see awaits.h.
#include "net/moves/awaits.h"
#include "abi/channel_calls.h"
#include "base/id_table.h"
#include "net/messages/lent_memory.h"
#include "private/regions/regions.h"
#include "private/regions/thread_memory.h"
#include "sched/sched.h"

#include <skein/skein.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

/// The place of results (private/regions/thread_memory.h); 0 if no results are wanted.
uint64_t place_word(const Thread &thread, const void *place) {
  return place ? ThreadMemory::all(thread).place(reinterpret_cast<uintptr_t>(place)) : 0;
}

/// Writes results to a place in the thread's private memory or in the live part of its stack. False, and nothing is
/// written, if the place is neither: it comes from another node and cannot be trusted.
bool write_results(const Thread &thread, uint64_t place, const void *data, size_t bytes) {
  const ThreadMemory memory = ThreadMemory::in_use(thread);
  const uintptr_t address = memory.address(place);
  if (!memory.holds(address, bytes))
    return false;
  memcpy(reinterpret_cast<void *>(address), data, bytes);
  return true;
}

/// The wait of a thread that has departed. It needs two facts: the answer (`answered`), and where it goes (`back`,
/// `follow` or `dead`). They come in any order. When the second is added, the wait is taken out of the table, the
/// answer is passed on, and the wait is freed. Until the answer has come, the `place` of the call that is still open
/// leads here.
struct DepartedWait {
  Call call; // as it was when the thread departed
  const char *reason;
  void *object;
  uint64_t place; // of the results, as place_word gives it
  int to;         // the node where the thread went
  // The rest changes under the lock.
  bool answered;
  bool dead;            // the thread is lost: nobody wants the answer
  Thread *back;         // the thread, if it waits here again after all
  uint64_t follow;      // the call of node `to` that gets the answer; 0 if there is none yet
  ReplyMessage *answer; // from malloc; null if the peer died that had to answer
  size_t data_bytes;
};

SpinLock lock{Rank::net};
IdTable<DepartedWait *> departed_waits; // by the number of the call

void finish_arrived(const Call &call, const ReplyMessage *reply, size_t data_bytes);

/// The code in the value of an answer; above it a measured one has a length.
uint64_t code_of(const Call &call, uint64_t value) { return call.measured ? value & SKEIN_CHANNEL_CODE : value; }

/// The length that the value of an answer without error tells; 0 if it tells none.
uint64_t length_of(uint64_t value) { return value >> SKEIN_CHANNEL_CODE_BITS; }

/// Sends the answer to the node where the thread went.
void forward_answer(const DepartedWait &wait) {
  const char *data = reply_data(wait.answer);
  const size_t bytes = wait.data_bytes;
  char text[error_text_bytes];
  if (!wait.answer) {
    snprintf(text, sizeof text, "%s: node %d died", wait.reason, wait.call.peer);
    call_reply(wait.to, wait.follow, SKEIN_EDEAD, text, strlen(text));
  } else if (wait.call.finish == finish_arrived) {
    // The answer was forwarded to this node, too, by one that the thread departed from earlier; it has this form.
    call_reply(wait.to, wait.follow, wait.answer->value, data, bytes);
  } else if (wait.call.measured && code_of(wait.call, wait.answer->value) == SKEIN_CHANNEL_AGAIN) {
    call_reply(wait.to, wait.follow, wait.answer->value);
  } else if (code_of(wait.call, wait.answer->value)) {
    snprintf(text, sizeof text, "%s: %.*s", wait.reason, static_cast<int>(bytes), data);
    call_reply(wait.to, wait.follow, wait.answer->value, text, strlen(text));
  } else if (wait.call.measured && (bytes != length_of(wait.answer->value) || bytes > wait.call.place_bytes)) {
    call_distrust(wait.call, "%zu bytes, where %zu fit", bytes, wait.call.place_bytes);
    snprintf(text, sizeof text, "%s: node %d sent what cannot be", wait.reason, wait.call.peer);
    call_reply(wait.to, wait.follow, SKEIN_EDEAD, text, strlen(text));
  } else if (!wait.place || !bytes || (!wait.call.measured && bytes != wait.call.place_bytes)) {
    call_reply(wait.to, wait.follow, wait.call.measured ? wait.answer->value : SKEIN_OK);
  } else {
    auto *placed = static_cast<char *>(message_memory(sizeof wait.place + bytes));
    memcpy(placed, &wait.place, sizeof wait.place);
    memcpy(placed + sizeof wait.place, data, bytes);
    call_reply(wait.to, wait.follow, wait.answer->value, placed, sizeof wait.place + bytes);
    free(placed);
  }
}

/// Passes the answer on and frees the wait, which is answered and out of the table.
void pass_on(DepartedWait *wait) {
  if (wait->back)
    wait->call.finish(wait->call, wait->answer, wait->data_bytes); // as if the thread had never departed
  else if (!wait->dead)
    forward_answer(*wait);
  if (!wait->back)
    memory_back(wait->call.lent);
  free(wait->answer);
  free(wait);
}

/// Calls `decide(wait)` under the lock, to note who gets the answer to call `number`. False if there is no such wait,
/// or if `decide` returns false because the caller may not decide that.
template <class Decide> bool decide_receiver(uint64_t number, Decide &&decide) {
  DepartedWait *wait;
  {
    Guard guard(lock);
    DepartedWait **found = departed_waits.find(number);
    if (!found || !decide(**found))
      return false;
    wait = *found;
    if (!wait->answered)
      return true;
    departed_waits.erase(number);
  }
  pass_on(wait);
  return true;
}

/// The answer has come to a call whose waiter has departed.
void finish_departed(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  auto *wait = static_cast<DepartedWait *>(call.place);
  ReplyMessage *copy = nullptr;
  if (reply) {
    copy = static_cast<ReplyMessage *>(message_memory(sizeof *reply + data_bytes));
    memcpy(copy, reply, sizeof *reply + data_bytes);
  }
  {
    Guard guard(lock);
    wait->answered = true;
    wait->answer = copy;
    wait->data_bytes = data_bytes;
    if (!wait->back && !wait->follow && !wait->dead)
      return;
    departed_waits.erase(call.id);
  }
  pass_on(wait);
}

/// The answer has come for a thread that arrived here waiting. The thread has not run here yet, so its bundle has not
/// heard of it: thread_arrived, not thread_wake, makes it ready.
void finish_arrived(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  Thread *thread = call.waiter;
  const char *data = reply_data(reply);
  reply = call_checked(call, reply, data_bytes, any_bytes);
  const uint64_t length = reply ? length_of(reply->value) : 0;
  if (uint64_t place; reply && !code_of(call, reply->value) && (data_bytes || length)) {
    if (data_bytes >= sizeof place)
      memcpy(&place, data, sizeof place);
    if (data_bytes < sizeof place || (length && length != data_bytes - sizeof place) ||
        !write_results(*thread, place, data + sizeof place, data_bytes - sizeof place))
      reply = call_distrust(call, "its %zu bytes belong nowhere in the thread that waits for them", data_bytes);
  }
  const int code = reply ? static_cast<int>(code_of(call, reply->value)) : SKEIN_EDEAD;
  if (!reply)
    thread_error(thread, code, "%s: node %d died, which the thread had left while it waited", thread->wait.reason,
                 call.peer);
  else if (code && static_cast<uint64_t>(code) != SKEIN_CHANNEL_AGAIN)
    thread_error(thread, code, "%.*s", static_cast<int>(data_bytes), data);
  thread->result = reply ? reply->value : static_cast<uint64_t>(code);
  thread_arrived(thread);
}

} // namespace

bool await_may_leave(const Thread &self, const void *place) {
  const auto address = reinterpret_cast<uintptr_t>(place);
  return !place || ThreadMemory::all(self).on_stack(address) || in_private_range(address);
}

Thread *await_take(uint64_t id, int to) {
  auto *wait = static_cast<DepartedWait *>(message_memory(sizeof(DepartedWait)));
  *wait = {};
  wait->to = to;
  uint64_t number;
  Thread *thread = call_detach(id, finish_departed, wait, wait->call, number);
  if (!thread) {
    free(wait);
    return nullptr;
  }
  // The thread is ours. If its answer comes from here on, finish_departed keeps it.
  thread->state.store(ThreadState::in_flight, std::memory_order_relaxed);
  if (wait->call.lent)
    memory_keep(*wait->call.lent);
  wait->reason = thread->wait.reason;
  wait->object = thread->wait.object;
  wait->place = place_word(*thread, wait->call.place);
  thread->result = number;
  thread->awaiting = true;
  Guard guard(lock);
  departed_waits[number] = wait;
  return thread;
}

void await_again(Thread *thread) {
  const uint64_t number = thread->result;
  DepartedWait *wait;
  {
    Guard guard(lock);
    wait = *departed_waits.find(number);
  }
  const Call call = wait->call;
  thread->awaiting = false;
  thread->wait.reason = wait->reason;
  thread->wait.object = wait->object;
  thread->state.store(ThreadState::blocked, std::memory_order_relaxed);
  if (!call_attach(number, call)) { // finish_departed has the answer, or will have it in a moment
    decide_receiver(number, [&](DepartedWait &found) {
      found.back = thread;
      return true;
    });
    return;
  }
  // The thread waits as if it had never departed. Nobody else has `wait`, since nobody has taken the call.
  {
    Guard guard(lock);
    departed_waits.erase(number);
  }
  free(wait);
}

void await_lost(const Thread *thread) {
  decide_receiver(thread->result, [](DepartedWait &wait) { return wait.dead = true; });
}

void await_arrived(Thread *thread, int from) {
  const uint64_t departed = thread->result;
  thread->awaiting = false;
  thread->wait.reason = "a wait that began on another node";
  thread->wait.object = nullptr;
  thread->state.store(ThreadState::blocked, std::memory_order_relaxed);
  Call wait = {finish_arrived, from, thread, 0, nullptr, 0};
  wait.measured = true;
  const uint64_t call = call_begin(wait);
  link_tell<AwaitMessage>(from, call, departed, static_cast<uint64_t>(AwaitWhat::answer));
  call_sent_movable(call);
}

void await_asked(int from, uint64_t call, uint64_t departed) {
  const bool known = decide_receiver(departed, [&](DepartedWait &found) {
    if (found.to != from || found.follow)
      return false;
    found.follow = call;
    return true;
  });
  constexpr char unknown[] = "no thread left such a wait behind";
  if (!known)
    call_reply(from, call, SKEIN_ETHREAD, unknown, sizeof unknown - 1);
}

bool awaits_departed() {
  Guard guard(lock);
  return departed_waits.size() > 0;
}

void (*await_recalls)(uint64_t channel, uint64_t call);

void await_recall() {
  struct Recall {
    uint64_t channel, call;
  };
  Recall *all;
  size_t count = 0;
  {
    Guard guard(lock);
    all = static_cast<Recall *>(message_memory((departed_waits.size() + 1) * sizeof(Recall)));
    departed_waits.each([&](uint64_t number, DepartedWait *&wait) {
      if (!wait->answered && wait->call.measured && wait->call.finish != finish_arrived)
        all[count++] = {reinterpret_cast<uint64_t>(wait->object), number};
    });
  }
  for (size_t i = 0; i < count; i++)
    await_recalls(all[i].channel, all[i].call);
  free(all);
}

void await_fail(int peer) {
  for (;;) {
    uint64_t number = 0;
    {
      Guard guard(lock);
      departed_waits.each([&](uint64_t id, DepartedWait *&wait) {
        if (wait->to == peer && !wait->back && !wait->dead)
          number = id;
      });
    }
    if (!number)
      return;
    decide_receiver(number, [](DepartedWait &wait) { return wait.dead = true; });
  }
}

} // namespace skein
