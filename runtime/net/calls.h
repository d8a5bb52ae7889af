// Questions to another node: who asked, and what to do with the answer.
//
// A call is begun (it gets a number), sent, and finished exactly once: by the reply, or by the peer's death. A thread
// that waits for a call is blocked, and does not move unless whoever began the call has said that it may (awaits.h), so
// the answer may be written straight to where it belongs, even into the thread's own stack.
#ifndef SKEIN_NET_CALLS_H
#define SKEIN_NET_CALLS_H

#include "net/link.h"
#include "thread/thread.h"

namespace skein {

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
/// Take a call for somebody who finishes it otherwise. False: it was finished already.
bool call_take(uint64_t number, Call &call);
/// A part of an answer to a steal has come, `answer` as in its message. If it was the last one, the call is taken.
bool call_take_part(uint64_t number, uint32_t answer, uint32_t threads, uint32_t accepted, Call &call);
/// The peer is dead: finish its calls. After link_forget.
void calls_fail(int peer);

/// Answer a call; one of this node is finished at once.
void call_reply(int to, uint64_t call, uint64_t value, const void *data = nullptr, size_t data_bytes = 0,
                bool plain = false);

/// A `finish` for calls whose value is a SKEIN_E* code, with the error text as data: wakes the waiter.
void finish_with_code(const Call &call, const ReplyMessage *reply, size_t data_bytes);
/// Wake a waiter with an error of its own.
void wake_with_error(Thread *waiter, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

} // namespace skein

#endif
