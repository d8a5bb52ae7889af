// Requests and handlers; see active.h.
#include "net/messages/active.h"
#include "abi/message_calls.h"
#include "base/knobs.h"
#include "base/log.h"
#include "net/moves/births.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "thread/run_outside.h"

#include <skein/messages.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

// The program's handlers, which the linker puts one after the other. There are none if the program defines none.
extern "C" const skein_handler __start_skein_handlers[] __attribute__((weak, visibility("hidden")));
extern "C" const skein_handler __stop_skein_handlers[] __attribute__((weak, visibility("hidden")));

namespace skein {

namespace {

/// A request that waits for a credit.
struct Letter {
  Letter *next;
  RequestMessage *message;
  size_t data_bytes;
  Thread *leaver;
  uint64_t result;
};

/// The credits and letters between this node and a peer.
struct Window {
  SpinLock lock{Rank::net};
  uint64_t free = 0;       // requests that may still be sent
  uint64_t owed = 0;       // credits to be returned to the peer; used by handlers only
  Letter *first = nullptr; // in the order in which they came
  Letter **last = &first;
};

Window *windows;
BuiltinHandler builtins[static_cast<size_t>(Builtin::last) + 1];

size_t handler_count() { return static_cast<size_t>(__stop_skein_handlers - __start_skein_handlers); }

/// The number of a handler; UINT32_MAX if it is none of the program.
uint32_t number_of(const skein_handler *handler) {
  auto offset = reinterpret_cast<uintptr_t>(handler) - reinterpret_cast<uintptr_t>(__start_skein_handlers);
  if (offset % sizeof(skein_handler) != 0 || offset / sizeof(skein_handler) >= handler_count())
    return UINT32_MAX;
  return static_cast<uint32_t>(offset / sizeof(skein_handler));
}

// --- handlers of the program -----------------------------------------------------------------------------------------

void run_plain(const skein_handler &handler, skein_message &message) {
  run_outside(segment_nowhere, [&] { handler.handle(&message); });
}

constexpr char not_begun[] = "the runtime, for a handler that has not begun";

/// Makes a thread for the request in `message`, which belongs to the thread from here on.
bool begin_thread(const skein_handler &handler, RequestMessage *message) {
  // The thread is pinned until it has taken its data, which lie in this process's heap.
  return thread_of_runtime(reinterpret_cast<void (*)(void)>(handler.thread), reinterpret_cast<uint64_t>(message), 0, 1,
                           not_begun);
}

/// Number of data bytes, in a message that its thread keeps: the header's proof is of no use any more.
uint64_t &kept_bytes(RequestMessage *message) { return message->header.proof; }

constexpr char no_thread[] = "there is no memory for the handler's thread";

void refuse(int from, const RequestMessage &request, int code, const char *text) {
  if (request.call)
    call_reply(from, request.call, static_cast<uint64_t>(code), text, strlen(text));
  else
    log("a request of node %d is lost: %s", from, text);
}

/// A node that sends requests runs the same build, so it knows which handlers there are (active_check).
void reject(int from, uint32_t handler) {
  link_reject(from, MessageType::request, "handler %u, of which this program has %zu", handler, handler_count());
}

/// Handles a request, under link_exclusive. False if `message` is kept.
bool handle(int from, RequestMessage *message, size_t bytes) {
  const void *data = message + 1;
  if (message->handler >= builtin_first) {
    uint32_t which = message->handler - builtin_first;
    if (which > static_cast<uint32_t>(Builtin::last) || !builtins[which] || !message->call)
      reject(from, message->handler);
    else if (!builtins[which](from, message->call, data, bytes))
      link_reject(from, MessageType::request, "a copy with %zu bytes of data, which are not what it says", bytes);
    return true;
  }
  if (message->handler >= handler_count()) {
    reject(from, message->handler);
    return true;
  }
  const skein_handler &handler = __start_skein_handlers[message->handler];
  if (handler.thread) {
    message->header.from = static_cast<uint16_t>(from);
    kept_bytes(message) = bytes;
    if (begin_thread(handler, message))
      return false;
    refuse(from, *message, SKEIN_EMEMORY, no_thread);
    return true;
  }
  skein_message view = {from, SKEIN_OK, 0, data, bytes, message->call};
  run_plain(handler, view);
  if (view.call)
    call_reply(from, view.call, SKEIN_OK);
  return true;
}

// --- credits ---------------------------------------------------------------------------------------------------------

/// Takes the first letter, if there is one. Under the lock.
Letter *pop(Window &window) {
  Letter *letter = window.first;
  if (!letter)
    return nullptr;
  window.first = letter->next;
  if (!window.first)
    window.last = &window.first;
  return letter;
}

void on_request(Arrival &arrival) {
  size_t bytes = arrival.data_bytes<RequestMessage>();
  if (!handle(arrival.from, static_cast<RequestMessage *>(arrival.message), bytes))
    arrival.message = nullptr;
  Window &window = windows[arrival.from];
  if (++window.owed >= std::max<uint64_t>(knobs.message_credits / 2, 1)) {
    link_tell<CreditsMessage>(arrival.from, window.owed);
    window.owed = 0;
  }
}

void on_credits(Arrival &arrival) {
  Window &window = windows[arrival.from];
  for (uint64_t left = arrival.body<CreditsMessage>().credits; left > 0; left--) {
    Letter *letter;
    bool too_many = false;
    {
      Guard guard(window.lock);
      letter = pop(window);
      if (!letter) {
        too_many = left > knobs.message_credits - window.free;
        if (!too_many)
          window.free += left;
      }
    }
    if (too_many)
      link_reject(arrival.from, MessageType::credits, "%llu credits are more than this node has given away",
                  static_cast<unsigned long long>(left));
    if (!letter)
      return;
    link_send(arrival.from, letter->message, letter->data_bytes);
    if (letter->leaver)
      thread_wake(letter->leaver, letter->result);
    free(letter);
  }
}

/// Takes a credit. False: there is none, and the letter waits.
bool take_credit(Window &window, Letter *letter) {
  Guard guard(window.lock);
  if (window.free > 0) {
    window.free--;
    return true;
  }
  letter->next = nullptr;
  *window.last = letter;
  window.last = &letter->next;
  return false;
}

bool take_credit(Window &window) {
  Guard guard(window.lock);
  if (window.free == 0)
    return false;
  window.free--;
  return true;
}

void deliver_here(RequestMessage *message, size_t data_bytes) {
  struct Delivery {
    RequestMessage *message;
    size_t bytes;
  } delivery{message, data_bytes};
  link_exclusive(
      [](void *context) {
        auto &what = *static_cast<Delivery *>(context);
        if (handle(node.self, what.message, what.bytes))
          free(what.message);
      },
      &delivery);
}

} // namespace

RequestMessage *active_new(uint32_t handler, size_t bytes) {
  auto *message = message_new<RequestMessage>(bytes);
  message->handler = handler;
  message->reserved = 0;
  message->call = 0;
  return message;
}

bool active_post(int to, RequestMessage *message, size_t data_bytes, const Call *call, Thread *leaver,
                 uint64_t result) {
  const uint64_t number = message->call = call ? call_begin(*call) : 0;
  bool left = true;
  if (to == node.self) {
    deliver_here(message, data_bytes);
    return true;
  }
  Window &window = windows[to];
  if (take_credit(window)) {
    link_send(to, message, data_bytes);
  } else {
    auto *letter = static_cast<Letter *>(message_memory(sizeof(Letter)));
    *letter = {nullptr, message, data_bytes, leaver, result};
    left = take_credit(window, letter);
    if (left) {
      link_send(to, message, data_bytes);
      free(letter);
    } else if (!link_alive(to)) {
      active_fail(to); // it died before the letter was there
    }
  }
  if (number)
    call_sent(number);
  return left;
}

void active_fail(int peer) {
  Window &window = windows[peer];
  for (;;) {
    Letter *letter;
    {
      Guard guard(window.lock);
      letter = pop(window);
    }
    if (!letter)
      return;
    if (letter->leaver && letter->message->call)
      thread_wake(letter->leaver, letter->result); // the call fails
    else if (letter->leaver)
      wake_with_error(letter->leaver, SKEIN_EDEAD, "node %d died before the request could be sent", peer);
    free(letter->message);
    free(letter);
  }
}

bool active_waits(int peer) {
  Guard guard(windows[peer].lock);
  return windows[peer].first != nullptr;
}

namespace {
/// The thread that sent it had seen that the node takes requests, and was then held up while the node left.
void on_undelivered(const MessageHeader *message) {
  const auto &request = *reinterpret_cast<const RequestMessage *>(message);
  if (Call call; !request.call)
    log("a request is lost, since the node to which it was sent has left the run meanwhile");
  else if (call_take(request.call, call))
    call.finish(call, nullptr, 0);
}
} // namespace

void active_builtin(Builtin which, BuiltinHandler handler) { builtins[static_cast<size_t>(which)] = handler; }

int active_check(Thread *self, int to, size_t bytes, bool leaves_a_thread, const char *function) {
  if (const int code = thread_check_node(self, to, function))
    return code;
  if (bytes > SKEIN_MESSAGE_MOST)
    return thread_error(self, SKEIN_EMEMORY, "%s: %zu bytes; a message carries at most %zu", function, bytes,
                        SKEIN_MESSAGE_MOST);
  if (to != node.self && !(leaves_a_thread ? link_takes(to) : link_hears(to)))
    return thread_error(self, link_state_code(to), "%s: node %d %s", function, to, link_state(to));
  if (!link_same_build(to))
    return thread_error(self, SKEIN_EREFUSED,
                        "%s: node %d runs another build of the program, whose handlers are others", function, to);
  return SKEIN_OK;
}

void run_exclusively(void (*function)(void *), void *context) {
  struct Both {
    void (*function)(void *);
    void *context;
  } both{function, context};
  link_exclusive(
      [](void *what) {
        auto &both = *static_cast<Both *>(what);
        run_outside(segment_nowhere, [&] { both.function(both.context); });
      },
      &both);
}

Thread *go_on(Thread *self, uint64_t result) {
  self->wait.reason = nullptr;
  self->wait.object = nullptr;
  self->state.store(ThreadState::running, std::memory_order_relaxed);
  self->result = result;
  return self;
}

// --- the API ---------------------------------------------------------------------------------------------------------

namespace {

/// Makes a request of the program, with its data. Null: the error text of `self` says why.
RequestMessage *compose(Thread *self, int to, const skein_handler *handler, const void *data, size_t bytes,
                        const char *function) {
  thread_error_clear(self);
  const uint32_t number = number_of(handler);
  const bool threaded = number != UINT32_MAX && handler->thread;
  self->result = static_cast<uint64_t>(active_check(self, to, bytes, threaded, function));
  if (self->result)
    return nullptr;
  if (number == UINT32_MAX) {
    self->result =
        static_cast<uint64_t>(thread_error(self, SKEIN_EREFUSED,
                                           "%s: that is no handler of this program (SKEIN_HANDLER makes one; those of "
                                           "shared libraries cannot be called)",
                                           function));
    return nullptr;
  }
  RequestMessage *message = active_new(number, bytes);
  if (bytes)
    memcpy(message + 1, data, bytes);
  return message;
}

void finish_call(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  const auto *exchange =
      reinterpret_cast<const skein_exchange *>(call.id); // on the stack of the waiter, which is blocked
  if (!reply || reply->value)
    return finish_with_code(call, reply, data_bytes);
  if (exchange->got)
    *exchange->got = data_bytes;
  if (data_bytes > exchange->room)
    return wake_with_error(call.waiter, SKEIN_EMEMORY, "skein_call: the reply has %zu bytes, and there is room for %zu",
                           data_bytes, exchange->room);
  if (data_bytes)
    memcpy(exchange->reply, reply + 1, data_bytes);
  thread_wake(call.waiter, SKEIN_OK);
}

void finish_request(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  struct Answer {
    const skein_handler *handler;
    skein_message message;
  } answer{static_cast<const skein_handler *>(call.place), {}};
  reply = call_checked(call, reply, data_bytes, any_bytes);
  answer.message = {call.peer,
                    !reply ? SKEIN_EDEAD : static_cast<int>(reply->value),
                    call.id,
                    reply ? reply + 1 : nullptr,
                    reply && !reply->value ? data_bytes : 0,
                    0};
  link_exclusive(
      [](void *context) {
        auto &what = *static_cast<Answer *>(context);
        run_plain(*what.handler, what.message);
      },
      &answer);
}

extern "C" Thread *skein_send_call(Thread *self, uint64_t to_word, uint64_t handler, uint64_t data, uint64_t bytes) {
  int to = static_cast<int>(to_word);
  RequestMessage *message = compose(self, to, reinterpret_cast<const skein_handler *>(handler),
                                    reinterpret_cast<const void *>(data), bytes, "skein_send");
  if (!message)
    return self;
  thread_block(self, "skein_send", nullptr);
  return active_post(to, message, bytes, nullptr, self) ? go_on(self, SKEIN_OK) : thread_next();
}

extern "C" Thread *skein_exchange_call_call(Thread *self, uint64_t to_word, uint64_t exchange_word) {
  int to = static_cast<int>(to_word);
  const auto *exchange = reinterpret_cast<const skein_exchange *>(exchange_word);
  const size_t bytes = exchange->bytes;
  RequestMessage *message = compose(self, to, exchange->handler, exchange->data, bytes, "skein_call");
  if (!message)
    return self;
  thread_block(self, "skein_call", nullptr);
  Call call = {finish_call, to, self, exchange_word, nullptr, 0};
  call.by = AnsweredBy::anybody;
  active_post(to, message, bytes, &call, nullptr);
  return thread_next();
}

extern "C" Thread *skein_exchange_request_call(Thread *self, uint64_t to_word, uint64_t exchange_word) {
  int to = static_cast<int>(to_word);
  const auto *exchange = reinterpret_cast<const skein_exchange *>(exchange_word);
  const size_t bytes = exchange->bytes;
  const skein_handler *on_reply = exchange->on_reply;
  if (number_of(on_reply) == UINT32_MAX || on_reply->thread) {
    self->result = static_cast<uint64_t>(
        thread_error(self, SKEIN_EREFUSED, "skein_request: replies are for plain handlers of this program"));
    return self;
  }
  RequestMessage *message = compose(self, to, exchange->handler, exchange->data, bytes, "skein_request");
  if (!message)
    return self;
  thread_block(self, "skein_request", nullptr);
  Call call = {finish_request, to, nullptr, exchange->argument, const_cast<skein_handler *>(on_reply), 0};
  call.by = AnsweredBy::anybody;
  return active_post(to, message, bytes, &call, self) ? go_on(self, SKEIN_OK) : thread_next();
}

int reply(skein_message *message, const void *data, size_t bytes) {
  if (!message->call || bytes > SKEIN_MESSAGE_MOST)
    return message->call ? SKEIN_EMEMORY : SKEIN_ETHREAD;
  uint64_t call = message->call;
  message->call = 0;
  call_reply(message->from, call, SKEIN_OK, data, bytes);
  return SKEIN_OK;
}

extern "C" Thread *skein_reply_call(Thread *self, uint64_t message_word, uint64_t data, uint64_t bytes) {
  thread_error_clear(self);
  int code = reply(reinterpret_cast<skein_message *>(message_word), reinterpret_cast<const void *>(data), bytes);
  if (code == SKEIN_ETHREAD)
    thread_error(self, code, "skein_reply: the request has been answered, or its sender waits for no answer");
  else if (code)
    thread_error(self, code, "skein_reply: %zu bytes; a message carries at most %zu", static_cast<size_t>(bytes),
                 SKEIN_MESSAGE_MOST);
  self->result = static_cast<uint64_t>(code);
  return self;
}

/// Called in a plain handler.
extern "C" int skein_outside_reply(skein_message *message, const void *data, size_t bytes) {
  return reply(message, data, bytes);
}

extern "C" size_t __skein_message_bytes(uint64_t request) {
  return kept_bytes(reinterpret_cast<RequestMessage *>(request));
}

extern "C" void __skein_message_take(uint64_t request, skein_message *to, void *data) {
  auto *message = reinterpret_cast<RequestMessage *>(request);
  size_t bytes = kept_bytes(message);
  if (!data)
    fatal("no memory for a request of %zu bytes in its handler's thread", bytes);
  *to = {message->header.from, SKEIN_OK, 0, data, bytes, message->call};
  memcpy(data, message + 1, bytes);
  free(message);
  Thread *self = thread_current();
  if (to->call)
    births_answer_if_lost(self->id, to->from, to->call);
  if (self->pinned_by == not_begun)
    self->pinned_by = nullptr;
}

} // namespace

void active_start() {
  if (node.count == 1)
    return;
  windows = static_cast<Window *>(calloc(static_cast<size_t>(node.count), sizeof(Window)));
  if (!windows)
    fatal("out of memory for %d peers", node.count);
  for (int peer = 0; peer < node.count; peer++)
    (new (&windows[peer]) Window)->free = knobs.message_credits;
  link_undelivered = on_undelivered;
  link_handle<RequestMessage>(on_request);
  link_handle<CreditsMessage>(on_credits);
}

} // namespace skein
