// Questions to another node: who asked, and what to do with the answer.
//
// A call is begun (it gets a number), sent, and finished exactly once: by the reply, or by the peer's death. A thread
// that waits for a call is blocked, and does not move unless whoever began the call has said that it may (awaits.h), so
// the answer may be written straight to where it belongs, even into the thread's own stack.
#ifndef SKEIN_NET_MESSAGES_CALLS_H
#define SKEIN_NET_MESSAGES_CALLS_H

#include "net/wire/link.h"
#include "thread/thread.h"

namespace skein {

/// Who may answer, and how.
enum class AnsweredBy : uint8_t {
  peer,    // who was asked, by `reply`
  anybody, // the same, or a node that the program's handler has passed the request on to
  threads, // the peer that was asked, by `threads` or `nothing`: a steal
};

struct Call {
  /// `reply` is null if the peer died. Runs in a handler, or on the worker that began the call.
  void (*finish)(const Call &call, const ReplyMessage *reply, size_t data_bytes);
  int peer;
  Thread *waiter; // who is blocked for it, or null
  uint64_t id;    // whatever `finish` needs
  void *place;
  size_t place_bytes;
  // Of a steal, whose answer may come in parts, in any order.
  uint32_t answer = 0;   // threads in all of it; 0: the part that says so has not come
  uint32_t come = 0;     // threads that have come so far
  uint32_t accepted = 0; // of those
  AnsweredBy by = AnsweredBy::peer;
};

void calls_start();

/// Remember the call under a new number, which never is 0.
uint64_t call_begin(const Call &call);
/// The same for a worker that will wait for the answer itself, here and now. It has one such call at a time, in a place
/// of its own, without a lock. Its `finish` only writes to memory: it may run inside of the transport.
uint64_t call_begin_in_place(const Call &call);
/// After sending. If the peer has died meanwhile, the call is finished here.
void call_sent(uint64_t number);
/// The same, and from now on, as long as the call is not finished, its waiter may be taken away.
void call_sent_movable(uint64_t number);
/// If thread `id` waits here for such a call, and is not bound: take it away. The call, which was `was`, stays under
/// its `number`, without a waiter, and is finished by `finish` with its `id` being the number and `place` as given.
Thread *call_detach(uint64_t id, decltype(Call::finish) finish, void *place, Call &was, uint64_t &number);
/// Make a call another one: a detached one what it was, or one in place one that is not. False: it is being finished,
/// or has been.
bool call_attach(uint64_t number, const Call &was);
/// Whether `number` is a steal from that node which has not been answered.
bool call_is_steal(uint64_t number, int from);
/// Take a call for somebody who finishes it otherwise. False: it was finished already.
bool call_take(uint64_t number, Call &call);
/// A part of an answer to a steal has come, `answer` as in its message. If it was the last one, the call is taken.
/// `wrong`: there is no such steal, or more has come than the answer has.
enum class AnswerPart : uint8_t { more, last, wrong };
AnswerPart call_take_part(uint64_t number, uint32_t answer, uint32_t threads, uint32_t accepted, Call &call);
/// The peer is dead: finish its calls. After link_forget.
void calls_fail(int peer);

/// Answer a call; one of this node is finished at once.
void call_reply(int to, uint64_t call, uint64_t value, const void *data = nullptr, size_t data_bytes = 0,
                bool plain = false);

/// `reply` if it can be the answer: SKEIN_OK with so many bytes of data, or the code of an error and words about it.
/// Else null, as if the peer had died, and that is how it will be treated (link_reject).
const ReplyMessage *call_checked(const Call &call, const ReplyMessage *reply, size_t data_bytes, size_t expected_bytes);
inline constexpr size_t any_bytes = SIZE_MAX;
/// What follows an answer; null if there is none.
inline const char *reply_data(const ReplyMessage *reply) {
  return reply ? reinterpret_cast<const char *>(reply + 1) : nullptr;
}
/// What call_checked does when `finish` finds something else wrong with the answer. Null.
const ReplyMessage *call_distrust(const Call &call, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/// A `finish` for calls whose value is a SKEIN_E* code, with the error text as data: wakes the waiter.
void finish_with_code(const Call &call, const ReplyMessage *reply, size_t data_bytes);
/// Wake a waiter with an error of its own.
void wake_with_error(Thread *waiter, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

} // namespace skein

#endif
