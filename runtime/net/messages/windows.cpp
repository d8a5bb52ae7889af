// Windows and copies; see windows.h.
#include "net/messages/windows.h"
#include "abi/entry_points.h"
#include "base/id_table.h"
#include "net/messages/active.h"
#include "net/messages/pending.h"
#include "net/run/leaving.h"
#include "sched/sched.h"

#include <skein/messages.h>

#include <cstdio>
#include <cstring>

namespace skein {

namespace {

struct Window {
  char *base;
  uint64_t bytes;
};

// Both under link_exclusive.
IdTable<Window> windows;
uint64_t last_number;

/// What a copy's request has for data; of a put, the bytes follow.
struct Copy {
  uint64_t window;
  uint64_t offset;
  uint64_t bytes;
  uint64_t reserved; // so that the bytes are 16-aligned
};

int home_of(uint64_t window) { return static_cast<int>(window >> id_node_shift); }

constexpr char closed[] = "there is no such window: it was never opened, or has been closed";
constexpr char outside[] = "the window does not hold all these bytes";

/// Where the bytes of the copy are. Null: they are in no window, and the request has been answered so.
char *place_of(int from, uint64_t call, const Copy &copy) {
  const char *why = outside;
  Window *window = windows.find(copy.window);
  if (!window)
    why = closed;
  else if (copy.offset <= window->bytes && copy.bytes <= window->bytes - copy.offset)
    return window->base + copy.offset;
  call_reply(from, call, SKEIN_EPOINTER, why, strlen(why));
  return nullptr;
}

bool on_put(int from, uint64_t call, const void *data, size_t bytes) {
  const auto &copy = *static_cast<const Copy *>(data);
  if (bytes < sizeof copy || bytes - sizeof copy != copy.bytes || copy.reserved)
    return false;
  if (char *to = place_of(from, call, copy)) {
    memcpy(to, &copy + 1, copy.bytes);
    call_reply(from, call, SKEIN_OK);
  }
  return true;
}

bool on_get(int from, uint64_t call, const void *data, size_t bytes) {
  const auto &copy = *static_cast<const Copy *>(data);
  if (bytes != sizeof copy || copy.bytes > SKEIN_MESSAGE_MOST || copy.reserved)
    return false;
  if (char *at = place_of(from, call, copy))
    call_reply(from, call, SKEIN_OK, at, copy.bytes);
  return true;
}

/// Handles the reply to a get: stores its bytes where they belong, which may be the waiter's own stack.
const ReplyMessage *take_reply(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, call.place_bytes);
  if (reply && reply->value == SKEIN_OK && data_bytes)
    memcpy(call.place, reply + 1, data_bytes);
  return reply;
}
void finish_get(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  finish_with_code(call, take_reply(call, reply, data_bytes), data_bytes);
}
void finish_get_pending(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  pending_finish(call, take_reply(call, reply, data_bytes), data_bytes);
}

/// Makes the request for a copy. Null: the error text of `self` says why.
RequestMessage *compose(Thread *self, Builtin which, uint64_t window, uint64_t offset, const void *from, size_t bytes,
                        size_t &data_bytes, const char *function) {
  thread_error_clear(self);
  int owner = home_of(window);
  int code = active_check(self, owner, bytes, false, function);
  if (!code && !window)
    code = thread_error(self, SKEIN_EPOINTER, "%s: %s", function, closed);
  self->result = static_cast<uint64_t>(code);
  if (code)
    return nullptr;
  data_bytes = sizeof(Copy) + (from ? bytes : 0);
  RequestMessage *message = active_new(builtin_number(which), data_bytes);
  auto *copy = reinterpret_cast<Copy *>(message + 1);
  *copy = {window, offset, bytes, 0};
  if (from && bytes)
    memcpy(copy + 1, from, bytes);
  return message;
}

extern "C" Thread *skein_put_call(Thread *self, uint64_t window, uint64_t offset, uint64_t from, uint64_t bytes) {
  size_t data_bytes;
  RequestMessage *message =
      compose(self, Builtin::put, window, offset, bytes ? reinterpret_cast<const void *>(from) : nullptr, bytes,
              data_bytes, "skein_put");
  if (!message)
    return self;
  thread_block(self, "skein_put", nullptr);
  Call call = {finish_with_code, home_of(window), self, 0, nullptr, 0};
  active_post(call.peer, message, data_bytes, &call, nullptr);
  return thread_next();
}

extern "C" Thread *skein_get_call(Thread *self, uint64_t to, uint64_t window, uint64_t offset, uint64_t bytes) {
  size_t data_bytes;
  RequestMessage *message = compose(self, Builtin::get, window, offset, nullptr, bytes, data_bytes, "skein_get");
  if (!message)
    return self;
  thread_block(self, "skein_get", nullptr);
  Call call = {finish_get, home_of(window), self, 0, reinterpret_cast<void *>(to), bytes};
  active_post(call.peer, message, data_bytes, &call, nullptr);
  return thread_next();
}

/// Begins a copy that is waited for later. The caller goes on with its handle when the request has been sent.
Thread *start_request(Thread *self, RequestMessage *message, size_t data_bytes, Call call, const char *function) {
  call.id = pending_new();
  uint64_t pending = call.id;
  thread_block(self, function, nullptr);
  return active_post(call.peer, message, data_bytes, &call, self, pending) ? go_on(self, pending) : thread_next();
}

extern "C" Thread *skein_put_start_call(Thread *self, uint64_t window, uint64_t offset, uint64_t from, uint64_t bytes) {
  size_t data_bytes;
  RequestMessage *message =
      compose(self, Builtin::put, window, offset, bytes ? reinterpret_cast<const void *>(from) : nullptr, bytes,
              data_bytes, "skein_put_start");
  if (!message) {
    self->result = 0;
    return self;
  }
  return start_request(self, message, data_bytes, {pending_finish, home_of(window), nullptr, 0, nullptr, 0},
                       "skein_put_start");
}

extern "C" Thread *skein_get_start_call(Thread *self, uint64_t to_word, uint64_t window, uint64_t offset,
                                        uint64_t bytes) {
  size_t data_bytes;
  auto *to = reinterpret_cast<char *>(to_word);
  if (bytes && (__skein_moves_along(to) || __skein_moves_along(to + bytes - 1))) {
    thread_error(self, SKEIN_EPOINTER,
                 "skein_get_start: the bytes would go to memory that belongs to the thread, and moves with it");
    self->result = 0;
    return self;
  }
  RequestMessage *message = compose(self, Builtin::get, window, offset, nullptr, bytes, data_bytes, "skein_get_start");
  if (!message) {
    self->result = 0;
    return self;
  }
  return start_request(self, message, data_bytes, {finish_get_pending, home_of(window), nullptr, 0, to, bytes},
                       "skein_get_start");
}

extern "C" Thread *skein_window_open_call(Thread *self, uint64_t base_word, uint64_t bytes) {
  struct Opening {
    Window window;
    uint64_t number;
  } opening{{reinterpret_cast<char *>(base_word), bytes}, 0};
  thread_error_clear(self);
  self->result = 0;
  if (!bytes || base_word + bytes < base_word) {
    thread_error(self, SKEIN_EPOINTER, "skein_window_open: there are no %zu bytes at %p", static_cast<size_t>(bytes),
                 reinterpret_cast<void *>(base_word));
    return self;
  }
  if (__skein_moves_along(opening.window.base) || __skein_moves_along(opening.window.base + bytes - 1)) {
    thread_error(
        self, SKEIN_EPOINTER,
        "skein_window_open: that memory belongs to the thread, and moves with it: other nodes cannot know where");
    return self;
  }
  link_exclusive(
      [](void *context) {
        auto &what = *static_cast<Opening *>(context);
        what.number = static_cast<uint64_t>(node.self) << id_node_shift | ++last_number;
        windows[what.number] = what.window;
      },
      &opening);
  self->result = opening.number;
  return self;
}

extern "C" Thread *skein_window_close_call(Thread *self, uint64_t window) {
  thread_error_clear(self);
  self->result = SKEIN_OK;
  if (home_of(window) != node.self) {
    self->result = static_cast<uint64_t>(thread_error(
        self, SKEIN_ENODE, "skein_window_close: the window belongs to node %d; it is closed there", home_of(window)));
    return self;
  }
  struct Closing {
    uint64_t window;
    bool found;
  } closing{window, false};
  link_exclusive(
      [](void *context) {
        auto &what = *static_cast<Closing *>(context);
        what.found = windows.erase(what.window);
      },
      &closing);
  if (!closing.found)
    self->result = static_cast<uint64_t>(thread_error(self, SKEIN_EPOINTER, "skein_window_close: %s", closed));
  return self;
}

const char *windows_stay(char *words, size_t bytes) {
  const size_t open = windows.size();
  if (!open)
    return nullptr;
  snprintf(words, bytes, "has %zu open window%s (skein_window_close closes them, on that node)", open,
           open == 1 ? "" : "s");
  return words;
}
Remainder remainder = {windows_stay, nullptr};

} // namespace

void windows_start() {
  remainder_add(remainder);
  active_builtin(Builtin::put, on_put);
  active_builtin(Builtin::get, on_get);
}

} // namespace skein
