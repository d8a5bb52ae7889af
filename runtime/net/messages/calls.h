// Questions to another node: which thread has asked, and what must be done with the answer.
//
// A call is begun, which gives it a number, then sent, and finished exactly once: by the reply, or by the death of the
// peer. A thread that waits for a call is blocked, and does not move unless the function that began the call has said
// that it may (net/moves/awaits.h). So the answer may be written straight to where it belongs, even to the thread's own
// stack.
#ifndef SKEIN_NET_MESSAGES_CALLS_H
#define SKEIN_NET_MESSAGES_CALLS_H

#include "net/wire/link.h"
#include "thread/thread.h"

namespace skein {

struct LentMemory;

/// Which node may answer, and with which message.
enum class AnsweredBy : uint8_t {
  peer,    // the peer that was asked, by `reply`
  anybody, // the same, or a node to which the program's handler has passed the request on
  threads, // the peer that was asked, by `threads` or `nothing`: a steal
};

struct Call {
  /// `reply` is null if the peer died. Runs in a handler, or on the worker that began the call.
  void (*finish)(const Call &call, const ReplyMessage *reply, size_t data_bytes);
  int peer;
  Thread *waiter; // the thread that is blocked for it, or null
  uint64_t id;    // for `finish`, like the next two
  void *place;
  size_t place_bytes;
  // For a steal, whose answer may come in parts, in any order.
  uint32_t answer = 0;   // threads in the whole answer; 0: the part that says so has not come
  uint32_t come = 0;     // threads that have come so far
  uint32_t accepted = 0; // of those
  AnsweredBy by = AnsweredBy::peer;
  bool measured = false;      // above the code, the answer's value has a length: of a message of at most place_bytes
  LentMemory *lent = nullptr; // what the one who answers may read until then (lent_memory.h); `finish` takes it back
  bool kept = false; // it is about something that the peer keeps: the peer's heir may answer, once the peer leaves
};
/// The same call, about something that the peer keeps (goes_to_keeper).
inline Call kept(Call call) {
  call.kept = true;
  return call;
}

void calls_start();

/// Begins a call. Returns its number, which is never 0.
uint64_t call_begin(const Call &call);
/// The same for a worker that waits for the answer itself, at once. A worker has at most one such call at a time, in a
/// slot of its own, without a lock. Its `finish` may run inside of the transport, so it only writes to memory.
uint64_t call_begin_in_place(const Call &call);
/// To be called after sending. If the peer has died meanwhile, this finishes the call.
void call_sent(uint64_t number);
/// The same, and the waiter may move until the call is finished (call_detach).
void call_sent_movable(uint64_t number);
/// If thread `id` waits here for such a call, and is not bound to its worker, the thread is the caller's from now on.
/// The call keeps its `number`, but has no waiter any more, and is finished by `finish`, with the number as its `id`
/// and with this `place`. `was` is the call as it was before. Null: there is no such thread.
Thread *call_detach(uint64_t id, decltype(Call::finish) finish, void *place, Call &was, uint64_t &number);
/// Replaces a call: a detached one by what it was before, or a call in place by one that is not. False: the call has
/// been finished, or is being finished.
bool call_attach(uint64_t number, const Call &was);
/// Whether call `number` is a steal from that node which has not been answered.
bool call_is_steal(uint64_t number, int from);
/// Takes a call out of the table, so that the caller finishes it. False: it has been finished already.
bool call_take(uint64_t number, Call &call);
/// Notes that a part of the answer to a steal has come; `answer` is as in its message. The last part takes the call.
/// `wrong`: there is no such steal, or more threads have come than the answer has.
enum class AnswerPart : uint8_t { more, last, wrong };
AnswerPart call_take_part(uint64_t number, uint32_t answer, uint32_t threads, uint32_t accepted, Call &call);
/// The peer has died: finishes all calls to it. To be called after link_forget.
void calls_fail(int peer);
/// The peer has left the run: finishes the calls to it that its heir does not answer.
void calls_leave(int peer);
/// Whether a call of this node is under way that is no steal.
bool calls_under_way();

/// Answers a call. A call of this node itself is finished at once.
void call_reply(int to, uint64_t call, uint64_t value, const void *data = nullptr, size_t data_bytes = 0,
                bool plain = false);
/// The same with an answer that is complete but for its header. It belongs to the link from here on.
void call_answer(int to, ReplyMessage *reply, size_t data_bytes, bool plain = false);

/// Returns `reply` if it can be the answer: SKEIN_OK with so many bytes of data, or an error code with a text. Else
/// null, as if the peer had died, and the peer is treated so (link_reject).
const ReplyMessage *call_checked(const Call &call, const ReplyMessage *reply, size_t data_bytes, size_t expected_bytes);
inline constexpr size_t any_bytes = SIZE_MAX;
/// The data of an answer; null if `reply` is null.
inline const char *reply_data(const ReplyMessage *reply) {
  return reply ? reinterpret_cast<const char *>(reply + 1) : nullptr;
}
/// For a `finish` that finds an answer to be wrong: rejects the peer as call_checked does. Returns null.
const ReplyMessage *call_distrust(const Call &call, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/// A `finish` for calls whose value is a SKEIN_E* code, with the error text as data: wakes the waiter.
void finish_with_code(const Call &call, const ReplyMessage *reply, size_t data_bytes);
/// Wakes a waiter with an error code and text.
void wake_with_error(Thread *waiter, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

} // namespace skein

#endif
