// The lists of move handlers; see move_handlers.h.
#include "migrate/move_handlers.h"

#include "base/log.h"
#include "migrate/function_begin.h"
#include "private/regions/thread_memory.h"
#include "sched/sched.h"
#include "thread/run_outside.h"

#include <skein/move_handlers.h>

namespace skein {

namespace {

/// What the mark of the handler at that place is: not 0, and so small that nothing takes it for an address.
uint64_t mark_of(const ThreadMemory &memory, uintptr_t at) {
  return memory.place(at) * UINT64_C(0x9e3779b97f4a7c15) >> 48 | 1;
}

/// Whether a handler may lie there.
bool holds_handler(const ThreadMemory &memory, uintptr_t at) {
  return at % alignof(skein_move_handler) == 0 && memory.holds(at, sizeof(skein_move_handler));
}

/// The handlers of a thread, the newest first.
struct Handlers {
  skein_move_handler *at[SKEIN_MOVE_HANDLERS_MOST];
  unsigned count = 0;
};

bool function_or_null(uintptr_t function) { return !function || begins_function(function); }

bool broken(Refusal &why) {
  return why.set(SKEIN_EPINNED, "a function that added a move handler has returned without removing it "
                                "(skein_move_handler_remove)");
}

/// Reads the list that begins there; false with a reason if it is not whole.
bool read(uint64_t first, const ThreadMemory &memory, Handlers &to, Refusal &why) {
  if (!first)
    return true;
  uintptr_t at = memory.address(first);
  do {
    if (!holds_handler(memory, at) || to.count == SKEIN_MOVE_HANDLERS_MOST)
      return broken(why);
    auto *handler = reinterpret_cast<skein_move_handler *>(at);
    if (handler->mark != mark_of(memory, at) || !function_or_null(reinterpret_cast<uintptr_t>(handler->leaves)) ||
        !function_or_null(reinterpret_cast<uintptr_t>(handler->arrives)))
      return broken(why);
    to.at[to.count++] = handler;
    at = reinterpret_cast<uintptr_t>(handler->next);
  } while (at);
  return true;
}

int add(skein_move_handler *handler) {
  Thread *self = thread_current();
  if (!self)
    return SKEIN_ETHREAD;
  const ThreadMemory memory = ThreadMemory::all(*self);
  const auto at = reinterpret_cast<uintptr_t>(handler);
  if (!holds_handler(memory, at))
    return thread_error(self, SKEIN_EPOINTER,
                        "skein_move_handler_add: the handler has to lie in the thread's stack, private variables or "
                        "private heap");
  Handlers list;
  Refusal why;
  if (!read(self->move_handlers, memory, list, why))
    return thread_error(self, why.code, "skein_move_handler_add: %s", why.text);
  for (unsigned i = 0; i < list.count; i++)
    if (list.at[i] == handler)
      return thread_error(self, SKEIN_EBUSY, "skein_move_handler_add: the handler has been added already");
  if (list.count == SKEIN_MOVE_HANDLERS_MOST)
    return thread_error(self, SKEIN_EBUSY, "skein_move_handler_add: the thread has %d handlers, which is the most",
                        SKEIN_MOVE_HANDLERS_MOST);
  handler->next = list.count ? list.at[0] : nullptr;
  handler->mark = mark_of(memory, at);
  self->move_handlers = memory.place(at);
  return SKEIN_OK;
}

int remove(skein_move_handler *handler) {
  Thread *self = thread_current();
  if (!self)
    return SKEIN_ETHREAD;
  const ThreadMemory memory = ThreadMemory::all(*self);
  Handlers list;
  Refusal why;
  if (!read(self->move_handlers, memory, list, why))
    return thread_error(self, why.code, "skein_move_handler_remove: %s", why.text);
  for (unsigned i = 0; i < list.count; i++) {
    if (list.at[i] != handler)
      continue;
    if (i > 0)
      list.at[i - 1]->next = handler->next;
    else
      self->move_handlers = handler->next ? memory.place(reinterpret_cast<uintptr_t>(handler->next)) : 0;
    handler->mark = 0;
    return SKEIN_OK;
  }
  return thread_error(self, SKEIN_EEMPTY, "skein_move_handler_remove: the handler is none of the caller's");
}

/// Forgets those that lie below `sp`.
void end_below(Thread &thread, uintptr_t sp) {
  const ThreadMemory memory = ThreadMemory::all(thread);
  Handlers list;
  Refusal why;
  if (!read(thread.move_handlers, memory, list, why))
    return; // the next move says so
  thread.move_handlers = 0;
  skein_move_handler *newer = nullptr;
  for (unsigned i = 0; i < list.count; i++) {
    const auto at = reinterpret_cast<uintptr_t>(list.at[i]);
    if (memory.on_stack(at) && at < sp) {
      list.at[i]->mark = 0;
      continue;
    }
    list.at[i]->next = nullptr;
    if (newer)
      newer->next = list.at[i];
    else
      thread.move_handlers = memory.place(at);
    newer = list.at[i];
  }
}

void require(int code, const char *what) {
  if (code != SKEIN_OK)
    fatal("%s: %s", what, code == SKEIN_ETHREAD ? "no Skein thread calls" : skein_error_text());
}

} // namespace

namespace move_handlers {

bool leave(Thread &thread, int to, Refusal &why) {
  Handlers list;
  if (!read(thread.move_handlers, ThreadMemory::in_use(thread), list, why))
    return false;
  run_outside(thread.segment, [&] {
    for (unsigned i = 0; i < list.count; i++)
      if (list.at[i]->leaves)
        list.at[i]->leaves(list.at[i]->data, to);
  });
  return true;
}

void arrive(Thread &thread, int from) {
  Handlers list;
  Refusal why;
  // It was whole when the thread left, or when its image was found right, and no other code has seen it since.
  if (!read(thread.move_handlers, ThreadMemory::in_use(thread), list, why))
    fatal("thread %s: a move handler was written over by another one", thread_name(thread.id).text);
  run_outside(thread.segment, [&] {
    for (unsigned i = list.count; i-- > 0;)
      if (list.at[i]->arrives)
        list.at[i]->arrives(list.at[i]->data, from);
  });
}

bool sound(uint64_t first, const Thread &thread, const Stack &stack, size_t live, Refusal &why) {
  Handlers list;
  return read(first, ThreadMemory(thread, stack, live), list, why);
}

void start() { jump_ends_handlers = end_below; }

} // namespace move_handlers

} // namespace skein

using namespace skein;

extern "C" {

int skein_move_handler_add(struct skein_move_handler *handler) { return add(handler); }
int skein_move_handler_remove(struct skein_move_handler *handler) { return remove(handler); }
void __skein_on_move(struct skein_move_handler *handler) { require(add(handler), "SKEIN_ON_MOVE"); }
void __skein_on_move_over(struct skein_move_handler *handler) {
  require(remove(handler), "SKEIN_ON_MOVE, at the end of its block");
}
}
