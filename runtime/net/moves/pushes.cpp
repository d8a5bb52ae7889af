// How pushes begin and fail; see pushes.h. A thread whose memory is still on its way here (moves=lazy) is pushed when
// all of it has come: the worker waits for that, since the push is a call of the thread's own or of one of its peers.
#include "net/moves/pushes.h"
#include "base/id_table.h"
#include "base/lock.h"
#include "migrate/refusal.h"
#include "net/messages/active.h"
#include "net/messages/pending.h"
#include "net/moves/awaits.h"
#include "net/moves/exchange.h"
#include "private/paging/paging.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "sched/time_slices.h"
#include "sync/waits.h"

#include <skein/migration.h>

#include <cstdarg>
#include <cstdio>
#include <ctime>

namespace skein {

namespace {

/// A thread that runs is to leave at its next poll, or where it yields or goes on after a wait.
struct Wish {
  int to;
  Order order;
  bool drained; // because this node is about to leave the run; if it stays after all, so does the thread
};

SpinLock lock{Rank::net};
IdTable<Wish> wishes; // by the thread's id

// --- running threads -------------------------------------------------------------------------------------------------

bool take_wish(uint64_t id, Wish &wish) {
  Guard guard(lock);
  Wish *found = wishes.find(id);
  if (!found)
    return false;
  wish = *found;
  wishes.erase(id);
  return true;
}

void order_fail(const Order &order, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void order_fail(const Order &order, int code, const char *format, ...) {
  char text[error_text_bytes];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  order_end(order, code, text, 0);
}

/// A thread for which there may be a wish is suspended, and runs otherwise. True if it left.
bool push_wished(Thread *self) {
  Wish wish;
  if (!take_wish(self->id, wish) || (wish.drained && link_takes(node.self)))
    return false;
  if (!link_takes(wish.to)) {
    order_fail(wish.order, link_state_code(wish.to), "node %d %s", wish.to, link_state(wish.to));
    return false;
  }
  paging_wait(self->id);
  self->state.store(ThreadState::in_flight, std::memory_order_relaxed);
  Refusal why;
  if (exchange_ship(self, wish.to, false, wish.order, why))
    return true; // it does not belong to us any more
  self->state.store(ThreadState::running, std::memory_order_relaxed);
  order_end(wish.order, why.code, why.text, 0);
  return false;
}

/// An interrupted thread has come to a poll. True if it left.
bool push_interrupted(Thread *self) {
  self->interrupted.store(false, std::memory_order_relaxed);
  return push_wished(self);
}

/// Arranges that a running thread is pushed at its next poll, and `order` told. The order's waiter is blocked already.
/// With `drained`, the thread may also wait. False if it does not run any more, or if somebody else pushes it.
bool push_running(uint64_t id, int to, const Order &order, bool drained = false) {
  {
    Guard guard(lock);
    if (wishes.find(id))
      return false;
    wishes[id] = {to, order, drained};
  }
  Wish wish;
  return thread_interrupt(id, drained) || !take_wish(id, wish); // if somebody else took the wish, that ends the order
}

// --- the API ---------------------------------------------------------------------------------------------------------

/// SKEIN_OK, or an error of `self` if nothing can be sent to node `to`.
int check_node(Thread *self, int to, const char *call) {
  if (const int code = thread_check_node(self, to, call))
    return code;
  if (to != node.self && !link_takes(to))
    return thread_error(self, link_state_code(to), "%s: node %d %s", call, to, link_state(to));
  return SKEIN_OK;
}

extern "C" Thread *skein_push_self_call(Thread *self, uint64_t to_word) {
  int to = static_cast<int>(to_word);
  thread_error_clear(self);
  if (int code = check_node(self, to, "skein_push_self"))
    return answer(self, code);
  if (to == node.self)
    return answer(self, SKEIN_OK);
  return push_self(self, to);
}

/// What is said of a thread that cannot be pushed in the state in which it was found.
const char *words_of(ThreadState state) {
  return state == ThreadState::ended ? "not on this node" : thread_state_name(state);
}

/// The thread cannot be pushed in the state in which it was found.
void order_lacks(const Order &order, uint64_t id, ThreadState state) {
  order_fail(order, SKEIN_ETHREAD, "thread %s is %s", thread_name(id).text, words_of(state));
}

/// Pushes a thread of this node. If the order has a waiter, that is `self`, which waits until the order is told. If it
/// has an operation instead, `self` goes on.
Thread *push_thread(Thread *self, uint64_t id, int to, const Order &order) {
  if (order.waiter)
    thread_block(self, order.function, nullptr);
  const auto go = [&] { return order.waiter ? thread_next() : self; };
  ThreadState state;
  Refusal why;
  if (to == node.self) {
    Thread *thread = take_ready(id, &state);
    if (thread)
      thread_ready(thread);
    if (thread || state == ThreadState::running || state == ThreadState::blocked)
      order_end(order, SKEIN_OK, "", 1); // it is there already
    else
      order_lacks(order, id, state);
    return go();
  }
  paging_wait(id);
  if (const Pushed pushed = push_at_rest(id, to, order, state, why); pushed == Pushed::refused)
    order_end(order, why.code, why.text, 0);
  else if (pushed == Pushed::not_taken &&
           !(state == ThreadState::running && polls_compiled() && push_running(id, to, order)))
    order_lacks(order, id, state);
  return go();
}

/// An order with an operation that `self` begins, whose handle is the result of `self`.
Order begin_order(Thread *self, const char *function) {
  Order order{nullptr, pending_new(), nullptr, function};
  self->result = order.pending;
  return order;
}

extern "C" Thread *skein_push_call(Thread *self, uint64_t id, uint64_t to_word) {
  int to = static_cast<int>(to_word);
  if (id == self->id)
    return skein_push_self_call(self, to_word);
  thread_error_clear(self);
  if (int code = check_node(self, to, "skein_push"))
    return answer(self, code);
  return push_thread(self, id, to, {self, 0, nullptr, "skein_push"});
}

extern "C" Thread *skein_push_start_call(Thread *self, uint64_t id, uint64_t to_word) {
  int to = static_cast<int>(to_word);
  thread_error_clear(self);
  self->result = 0;
  if (check_node(self, to, "skein_push_start"))
    return self;
  return push_thread(self, id, to, begin_order(self, "skein_push_start"));
}

/// Pushes ready threads that the choice admits; for skein_push_any and skein_push_any_start.
Thread *push_any(Thread *self, const skein_choice *choice, int to, const Order &order) {
  if (order.waiter)
    thread_block(self, order.function, nullptr);
  ShipOutcome outcome;
  if (to != node.self)
    outcome = exchange_ship_ready(to, 0, choice ? choice->most : 0, choice_wanted(choice), order);
  if (outcome.threads == 0 && outcome.code)
    order_end(order, outcome.code, outcome.text, 0);
  else if (outcome.threads == 0)
    order_end(order, SKEIN_EEMPTY, "no thread is ready here that may move, and is wanted", 0);
  return order.waiter ? thread_next() : self;
}

extern "C" Thread *skein_push_any_call(Thread *self, uint64_t choice, uint64_t to_word, uint64_t moved) {
  int to = static_cast<int>(to_word);
  thread_error_clear(self);
  if (int code = check_node(self, to, "skein_push_any"))
    return answer(self, code);
  if (int code = choice_check(self, reinterpret_cast<const skein_choice *>(choice), "skein_push_any"))
    return answer(self, code);
  return push_any(self, reinterpret_cast<const skein_choice *>(choice), to,
                  {self, 0, reinterpret_cast<unsigned *>(moved), "skein_push_any"});
}

extern "C" Thread *skein_push_any_start_call(Thread *self, uint64_t choice, uint64_t to_word) {
  int to = static_cast<int>(to_word);
  thread_error_clear(self);
  self->result = 0;
  if (check_node(self, to, "skein_push_any_start") ||
      choice_check(self, reinterpret_cast<const skein_choice *>(choice), "skein_push_any_start"))
    return self;
  return push_any(self, reinterpret_cast<const skein_choice *>(choice), to, begin_order(self, "skein_push_any_start"));
}

} // namespace

/// events.spawn_elsewhere: a new thread begins its life on another node; `self` waits until it is there.
static Thread *spawn_elsewhere(Thread *self, Thread *fresh, int to, bool start) {
  const char *call = start ? "skein_start" : "skein_spawn_with";
  const Order order{self, 0, nullptr, call, false, start ? Newborn::start : Newborn::spawn, fresh->id};
  const int code = check_node(self, to, call);
  if (code) {
    order_unborn(order, fresh);
    return answer(self, start ? code : 0);
  }
  fresh->state.store(ThreadState::in_flight, std::memory_order_relaxed);
  thread_block(self, call, nullptr);
  Refusal why;
  if (!exchange_ship(fresh, to, false, order, why)) {
    order_unborn(order, fresh);
    order_end(order, why.code, why.text, 0);
  }
  return thread_next();
}

Pushed push_at_rest(uint64_t id, int to, const Order &order, ThreadState &state, Refusal &why) {
  Thread *thread = take_ready(id, &state);
  if (!thread && state == ThreadState::blocked)
    if (Thread *waiting = await_take(id, to)) {
      if (exchange_ship(waiting, to, false, order, why))
        return Pushed::shipped;
      await_again(waiting);
      return Pushed::refused;
    }
  if (!thread && state == ThreadState::blocked)
    thread = wait_take_away(id); // it goes on waiting there
  if (!thread)
    return Pushed::not_taken;
  if (exchange_ship(thread, to, false, order, why))
    return Pushed::shipped;
  thread_ready(thread);
  return Pushed::refused;
}

Attempt push_attempt(uint64_t id, int to, Refusal &why) {
  ThreadState state;
  const Pushed pushed = push_at_rest(id, to, {}, state, why);
  if (pushed != Pushed::not_taken)
    return pushed == Pushed::shipped ? Attempt::begun : Attempt::stays;
  const bool drained = !link_takes(node.self);
  if (state == ThreadState::running && (polls_compiled() || drained) && push_running(id, to, {}, drained))
    return Attempt::begun;
  if (state == ThreadState::blocked && drained)
    push_running(id, to, {}, true); // when it goes on
  // It is on its way between its bundle and its worker, which may not be running now.
  const bool again = state == ThreadState::ready || state == ThreadState::initialised;
  why.set(SKEIN_ETHREAD, "thread %s is %s%s", thread_name(id).text, words_of(state),
          again ? ", but its bundle does not let go of it" : "");
  return again ? Attempt::again : Attempt::stays;
}

bool push_for_nobody(uint64_t id, int to, Refusal &why) {
  struct Push {
    uint64_t id;
    int to;
    Refusal &why;
    Attempt attempt;
  } push = {id, to, why, Attempt::again};
  const auto attempt = [](void *context) {
    auto &[thread, destination, reason, outcome] = *static_cast<Push *>(context);
    outcome = push_attempt(thread, destination, reason);
  };
  constexpr int attempts = 100;
  constexpr timespec nap = {0, 1'000'000};
  for (int i = 0; i < attempts; i++) {
    run_exclusively(attempt, &push); // so the node is not taken to be at rest while the thread is in no queue
    if (push.attempt != Attempt::again)
      break;
    nanosleep(&nap, nullptr);
  }
  return push.attempt == Attempt::begun;
}

void pushes_fail_wish(Thread *thread, const char *what) {
  Wish wish;
  if (thread->interrupted.load(std::memory_order_relaxed) && take_wish(thread->id, wish))
    order_fail(wish.order, SKEIN_ETHREAD, "thread %s %s before it came to a poll", thread_name(thread->id).text, what);
}

void pushes_start() {
  events.spawn_elsewhere = spawn_elsewhere;
  events.interrupted = push_interrupted;
  events.leaves = push_wished;
  events.thread_ended.add([](Thread *thread) { pushes_fail_wish(thread, "ended"); });
}

Thread *push_self(Thread *self, int to) {
  paging_wait(self->id);
  self->result = SKEIN_OK; // the result with which it goes on at the destination
  self->state.store(ThreadState::in_flight, std::memory_order_relaxed);
  Refusal why;
  if (exchange_ship(self, to, true, {}, why)) // it does not belong to us any more
    return thread_next();
  self->state.store(ThreadState::running, std::memory_order_relaxed);
  return answer(self, thread_error(self, why.code, "skein_push_self: %s", why.text));
}

Wanted choice_wanted(const skein_choice *choice) {
  Wanted wanted;
  if (!choice)
    return wanted;
  wanted.bundle = choice->bundle;
  if (choice->states == SKEIN_INITIALISED)
    wanted.what = SKEIN_WANT_FRESH_ONLY;
  else if (choice->states == SKEIN_READY)
    wanted.what = SKEIN_WANT_STARTED_ONLY;
  return wanted;
}

int choice_check(Thread *self, const skein_choice *choice, const char *function) {
  if (!choice || !choice->bundle || choice->bundle->definition != bundle_local)
    return SKEIN_OK;
  return thread_error(self, SKEIN_EREFUSED,
                      "%s: no other node knows the bundle `%s` (SKEIN_BUNDLE makes one that all know)", function,
                      choice->bundle->name);
}

} // namespace skein
