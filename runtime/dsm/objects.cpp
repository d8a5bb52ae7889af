// Requests for operations on objects over nodes and their answers, the creation of objects, and what happens to objects
// when a thread ends or a node dies. See objects.h.
#include "dsm/objects.h"
#include "base/id_table.h"
#include "base/log.h"
#include "dsm/object_estate.h"
#include "dsm/object_steps.h"
#include "net/messages/active.h"
#include "net/moves/awaits.h"
#include "net/moves/births.h"
#include "net/run/leaving.h"
#include "net/run/membership.h"
#include "net/run/termination.h"
#include "sched/sched.h"

#include <skein/global.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

int home_of(uint64_t handle) { return static_cast<int>(handle >> id_node_shift); }

/// An operation that only the runtime sends: `thread`, which may hold mutexes of the receiver, has ended.
constexpr uint64_t holder_ended = SKEIN_GLOBAL_FREE + 1;

// --- requests --------------------------------------------------------------------------------------------------------

/// The text of a refusal.
struct Words {
  char text[160];
};
Words words_of(const ObjectWaiter &waiter) {
  Words words;
  if (waiter.about >= about_node)
    snprintf(words.text, sizeof words.text, "node %llu %s", static_cast<unsigned long long>(waiter.about - about_node),
             waiter.text);
  else if (waiter.about)
    snprintf(words.text, sizeof words.text, "thread %s, %s", thread_name(waiter.about).text, waiter.text);
  else
    snprintf(words.text, sizeof words.text, "%s", waiter.text);
  return words;
}

void answer(WaiterQueue &granted) {
  while (ObjectWaiter *waiter = granted.pop()) {
    if (!waiter->call) {
      if (waiter->code)
        log("thread %s on node %d: %s: %s", thread_name(waiter->thread).text, waiter->from,
            operation_name(waiter->operation), words_of(*waiter).text);
    } else if (waiter->code) {
      const Words words = words_of(*waiter);
      call_reply(waiter->from, waiter->call, static_cast<uint64_t>(waiter->code), words.text, strlen(words.text));
    } else {
      SharedValue *value = waiter->value;
      call_reply(waiter->from, waiter->call, SKEIN_OK, value ? value->data : nullptr, value ? value->bytes : 0);
    }
    if (waiter->value) {
      Guard guard(objects_lock);
      value_drop(waiter->value);
    }
    free(waiter);
  }
}

void request(int from, uint64_t call, uint64_t handle, uint64_t operation_word, uint64_t thread, const void *data,
             size_t bytes) {
  auto *own = static_cast<ObjectWaiter *>(message_memory(sizeof(ObjectWaiter)));
  *own = {nullptr, from, call, operation_word & 0xffff, operation_word >> 16, thread, 0, nullptr, nullptr, 0};
  WaiterQueue granted;
  {
    Guard guard(objects_lock);
    object_step(handle, own, data, bytes, true, granted);
  }
  answer(granted);
}

/// The same for a caller that cannot be queued. False: it would be queued, and nothing has happened. The caller must
/// drop the value that `own` may have got.
bool step_now(uint64_t handle, ObjectWaiter &own, const void *data, size_t bytes) {
  WaiterQueue granted, others;
  bool done;
  {
    Guard guard(objects_lock);
    done = object_step(handle, &own, data, bytes, false, granted);
  }
  while (ObjectWaiter *waiter = granted.pop())
    if (waiter != &own)
      others.push(waiter);
  answer(others);
  return done;
}

// --- ends and deaths -------------------------------------------------------------------------------------------------

/// The thread is gone: all mutexes that it holds here are orphans from now on.
void holder_gone(uint64_t thread, int code) {
  WaiterQueue granted;
  {
    Guard guard(objects_lock);
    objects.each([&](uint64_t, GlobalObject *&object) {
      if (object->kind == SKEIN_GLOBAL_MUTEX && object->word == thread && !object->orphaned)
        mutex_orphan(*object, code, granted);
    });
  }
  answer(granted);
}

/// All nodes look whether they keep a mutex that the thread holds. Who is not known to have left is told, and if he
/// has, his heir is; so the heir itself, node 0, is told last of the others, and this node looks last of all: by then
/// each of the two has what it inherited from those that are known to have left.
void on_thread_ended(Thread *thread) {
  if (!thread->global_holds)
    return;
  for (int peer = node.count - 1; peer >= 0; peer--)
    if (peer != node.self && !node_has_left(peer))
      link_tell<GlobalMessage>(peer, uint64_t{0}, uint64_t{0}, holder_ended, thread->id);
  holder_gone(thread->id, SKEIN_ELOCK);
}

void finish_holder(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  reply = call_checked(call, reply, data_bytes, sizeof(WireResult));
  holder_gone(call.id, reply && !reply->value ? SKEIN_ELOCK : SKEIN_EDEAD);
}

/// A node has died: whether a mutex was held by a thread that died with it, the node that keeps the record of the
/// thread knows, and is asked. `home`: of the mutexes that this is about, or -1.
void ask_for_holders(int home) {
  uint64_t *holders = nullptr;
  size_t count = 0;
  {
    Guard guard(objects_lock);
    holders = static_cast<uint64_t *>(message_memory((objects.size() + 1) * sizeof *holders));
    objects.each([&](uint64_t handle, GlobalObject *&object) {
      if (object->kind == SKEIN_GLOBAL_MUTEX && object->word && !object->orphaned &&
          (home < 0 || home_of(handle) == home))
        holders[count++] = object->word;
    });
  }
  for (size_t i = 0; i < count; i++)
    births_tell_end(holders[i],
                    call_begin(kept({finish_holder, thread_id_node(holders[i]), nullptr, holders[i], nullptr, 0})));
  free(holders);
}

/// Its waiters are dropped, and rounds end (object_without).
void on_node_died(int peer) {
  WaiterQueue granted;
  {
    Guard guard(objects_lock);
    objects.each([&](uint64_t, GlobalObject *&object) { object_without(*object, peer, granted); });
  }
  answer(granted);
  ask_for_holders(-1);
}

// --- a node that leaves the run --------------------------------------------------------------------------------------

EstatePart objects_estate = {.kind = EstateKind::objects,
                             .at_once = false,
                             .next =
                                 [](uint64_t &cursor) {
                                   return object_estate_next(cursor, [](const void *data, size_t bytes) {
                                     estate_send(EstateKind::objects, data, bytes);
                                   });
                                 },
                             .check = object_estate_check,
                             .take =
                                 [](int from, const void *data, size_t bytes) {
                                   WaiterQueue granted;
                                   object_estate_take(data, bytes, granted);
                                   answer(granted);
                                   if (deaths_known())
                                     ask_for_holders(from);
                                 },
                             .following = nullptr};

// --- reports ---------------------------------------------------------------------------------------------------------

/// Reports which threads wait here, and for what.
void on_standing() {
  Guard guard(objects_lock);
  objects.each([](uint64_t handle, GlobalObject *&object) {
    char state[100] = "";
    if (object->kind == SKEIN_GLOBAL_ROUND)
      snprintf(state, sizeof state, ", to which %llu of %llu have come", static_cast<unsigned long long>(object->word),
               static_cast<unsigned long long>(object->parties));
    else if (object->kind == SKEIN_GLOBAL_MUTEX)
      snprintf(state, sizeof state, ", which thread %s holds", thread_name(object->word).text);
    for (const ObjectWaiter *waiter = object->waiters.first(); waiter; waiter = waiter->next)
      log("  thread %s, on node %d, waits in %s for object %llu of node %d%s", thread_name(waiter->thread).text,
          waiter->from, operation_name(waiter->operation), static_cast<unsigned long long>(thread_id_number(handle)),
          home_of(handle), state);
  });
}

// --- messages --------------------------------------------------------------------------------------------------------

/// The word that says what a reduction does, and to which values (object_steps.cpp).
constexpr uint64_t reduction_most = 15;

void on_global(Arrival &arrival) {
  const auto &ask = arrival.body<GlobalMessage>();
  const size_t bytes = arrival.data_bytes<GlobalMessage>();
  const uint64_t operation = ask.operation & 0xffff, argument = ask.operation >> 16;
  const bool brings =
      operation == SKEIN_GLOBAL_REDUCE || operation == SKEIN_GLOBAL_SEND || operation == SKEIN_GLOBAL_FUTURE_SET;
  const bool ends = ask.operation == holder_ended;
  if (ends ? ask.call || ask.object || bytes : !ask.call || !ask.object || operation > SKEIN_GLOBAL_FREE)
    return link_reject(arrival.from, MessageType::global, "there is no operation %llu, or nobody to answer",
                       static_cast<unsigned long long>(operation));
  if ((bytes && !brings) || (operation == SKEIN_GLOBAL_REDUCE && argument > reduction_most))
    return link_reject(arrival.from, MessageType::global, "%s with %zu bytes and the argument %llu",
                       operation_name(operation), bytes, static_cast<unsigned long long>(argument));
  if (ends)
    return holder_gone(ask.thread, SKEIN_ELOCK);
  request(arrival.from, ask.call, ask.object, ask.operation, ask.thread, arrival.data<GlobalMessage>(), bytes);
}

/// Counts the mutexes that a thread holds. A lock is counted before it is asked for, since the thread may be on another
/// node when the answer comes. So the count may be too large, but not too small.
void note_hold(Thread *thread, uint64_t operation, int code) {
  const bool locks = operation == SKEIN_GLOBAL_LOCK || operation == SKEIN_GLOBAL_TRY_LOCK;
  const bool loses = locks ? code != SKEIN_OK : operation == SKEIN_GLOBAL_UNLOCK && code == SKEIN_OK;
  if (loses && thread->global_holds && thread->global_holds < UINT8_MAX)
    thread->global_holds--;
}
void note_lock(Thread *thread, uint64_t operation) {
  if ((operation == SKEIN_GLOBAL_LOCK || operation == SKEIN_GLOBAL_TRY_LOCK) && thread->global_holds < UINT8_MAX)
    thread->global_holds++;
}

void tell_object(uint64_t handle, uint64_t call, uint64_t operation, uint64_t thread, const void *data, size_t bytes) {
  auto *message = message_new<GlobalMessage>(bytes);
  message->call = call;
  message->object = handle;
  message->operation = operation;
  message->thread = thread;
  if (bytes)
    memcpy(message + 1, data, bytes);
  link_send(home_of(handle), message, bytes);
}

void finish(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  const char *name = operation_name(call.id);
  reply = call_checked(call, reply, data_bytes, call.place ? call.place_bytes : 0);
  note_hold(call.waiter, call.id, reply ? static_cast<int>(reply->value) : SKEIN_EDEAD);
  if (!reply)
    return wake_with_error(call.waiter, SKEIN_EDEAD, "%s: node %d, where the object lives, died", name,
                           keeper_of(call.peer));
  if (reply->value)
    return wake_with_error(call.waiter, static_cast<int>(reply->value), "%s: %.*s", name, static_cast<int>(data_bytes),
                           reinterpret_cast<const char *>(reply + 1));
  if (call.place && data_bytes)
    memcpy(call.place, reply + 1, data_bytes);
  thread_wake(call.waiter, SKEIN_OK);
}

/// SKEIN_OK, or an error code if the handle cannot be used; then the error text of `self` says why.
int check(Thread *self, uint64_t handle, const char *function) {
  if (!handle || home_of(handle) >= node.count)
    return thread_error(self, SKEIN_ETHREAD, "%s: %s", function, object_unknown);
  if (!link_keeps(home_of(handle)))
    return thread_error(self, SKEIN_EDEAD, "%s: node %d, where the object lives, %s", function, home_of(handle),
                        link_state(home_of(handle)));
  return SKEIN_OK;
}

extern "C" Thread *skein_global_call(Thread *self, uint64_t handle, uint64_t operation_word, uint64_t data_word,
                                     uint64_t bytes) {
  thread_error_clear(self);
  const uint64_t operation = operation_word & 0xffff;
  const char *name = operation_name(operation);
  self->result = static_cast<uint64_t>(check(self, handle, name));
  if (self->result)
    return self;
  note_lock(self, operation);
  auto *data = reinterpret_cast<char *>(data_word);
  const bool gets = operation == SKEIN_GLOBAL_RECEIVE || operation == SKEIN_GLOBAL_FUTURE_GET;
  if (gets)
    operation_word |= bytes << 16;
  const size_t sent = gets ? 0 : bytes;
  const bool results = gets || operation == SKEIN_GLOBAL_REDUCE;
  const int home = home_of(handle), keeper = keeper_of(home);
  if (keeper == node.self) { // try without blocking
    ObjectWaiter own = {nullptr, node.self, 0, operation, operation_word >> 16, self->id, 0, nullptr, nullptr, 0};
    if (step_now(handle, own, data, sent)) {
      if (own.value) {
        memcpy(data, own.value->data, bytes);
        Guard guard(objects_lock);
        value_drop(own.value);
      }
      self->result =
          static_cast<uint64_t>(own.code ? thread_error(self, own.code, "%s: %s", name, words_of(own).text) : SKEIN_OK);
      note_hold(self, operation, own.code);
      return self;
    }
  }
  char *const place = results ? data : nullptr;
  const bool movable = await_may_leave(*self, place);
  thread_block(self, name, reinterpret_cast<void *>(handle));
  const uint64_t call = call_begin(kept({finish, home, self, operation, place, results ? bytes : 0}));
  if (keeper == node.self)
    request(node.self, call, handle, operation_word, self->id, data, sent);
  else
    tell_object(handle, call, operation_word, self->id, data, sent);
  if (movable)
    call_sent_movable(call);
  else
    call_sent(call);
  return thread_next();
}

// --- creation --------------------------------------------------------------------------------------------------------

/// Returns the handle, or 0 and the reason in `why`. `home`: where the parties want it.
uint64_t create(int home, uint64_t kind, uint64_t value, uint64_t key_and_parties, const char *&why) {
  const uint64_t parties = key_and_parties & 0xffff, key = together_id(home, key_and_parties >> 16);
  if (kind == SKEIN_GLOBAL_CONDITION) {
    Guard guard(objects_lock);
    GlobalObject **mutex = objects.find(value);
    if (!mutex || (*mutex)->kind != SKEIN_GLOBAL_MUTEX) {
      why = "there is no such mutex on this node";
      return 0;
    }
  }
  if (parties < 2)
    return object_new(kind, value);
  {
    Guard guard(objects_lock);
    if (Together *found = together.find(key)) {
      if (found->kind != kind || found->value != value) {
        why = "the parties of the collective ask for different objects";
        return 0;
      }
      const uint64_t object = found->object;
      if (--found->left == 0)
        together.erase(key);
      return object;
    }
  }
  // Only one creation runs at a time: handlers run one at a time, and other callers use link_exclusive.
  const uint64_t object = object_new(kind, value);
  Guard guard(objects_lock);
  together[key] = {object, parties - 1, kind, value};
  return object;
}

void on_create(Arrival &arrival) {
  const auto &ask = arrival.body<GlobalCreateMessage>();
  if (ask.kind > SKEIN_GLOBAL_EVENT || (ask.kind == SKEIN_GLOBAL_MUTEX && ask.value))
    return link_reject(arrival.from, MessageType::global_create,
                       "there are no objects of kind %llu with the value %llu",
                       static_cast<unsigned long long>(ask.kind), static_cast<unsigned long long>(ask.value));
  if (ask.home >= nodes_max || keeper_of(static_cast<int>(ask.home)) != node.self)
    return link_reject(arrival.from, MessageType::global_create, "node %llu makes its objects itself",
                       static_cast<unsigned long long>(ask.home));
  const char *why = "";
  const uint64_t object = create(static_cast<int>(ask.home), ask.kind, ask.value, ask.together, why);
  if (object)
    call_reply(arrival.from, ask.call, SKEIN_OK, &object, sizeof object);
  else
    call_reply(arrival.from, ask.call, SKEIN_EREFUSED, why, strlen(why));
}

constexpr char creates[] = "creation of a global object";

void finish_create(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  uint64_t object = 0;
  reply = call_checked(call, reply, data_bytes, sizeof object);
  if (!reply)
    thread_error(call.waiter, SKEIN_EDEAD, "%s: node %d died", creates, call.peer);
  else if (reply->value)
    thread_error(call.waiter, static_cast<int>(reply->value), "%s: %.*s", creates, static_cast<int>(data_bytes),
                 reinterpret_cast<const char *>(reply + 1));
  else
    memcpy(&object, reply + 1, sizeof object);
  thread_wake(call.waiter, object);
}

extern "C" Thread *skein_global_create_call(Thread *self, uint64_t kind, uint64_t value, uint64_t home_word,
                                            uint64_t key_and_parties) {
  thread_error_clear(self);
  self->result = 0;
  int home = static_cast<int>(home_word);
  if (home == -1)
    home = node.self;
  if (thread_check_node(self, home, creates))
    return self;
  if (home != node.self) {
    thread_block(self, creates, nullptr);
    const uint64_t call = call_begin(kept({finish_create, home, self, 0, nullptr, 0}));
    link_tell<GlobalCreateMessage>(home, call, kind, value, key_and_parties, static_cast<uint64_t>(home));
    call_sent(call);
    return thread_next();
  }
  struct Creation {
    uint64_t kind, value, together, object;
    const char *why;
  } creation = {kind, value, key_and_parties, 0, ""};
  link_exclusive(
      [](void *context) {
        auto &what = *static_cast<Creation *>(context);
        what.object = create(node.self, what.kind, what.value, what.together, what.why);
      },
      &creation);
  if (!creation.object)
    thread_error(self, SKEIN_EREFUSED, "%s: %s", creates, creation.why);
  self->result = creation.object;
  return self;
}

extern "C" Thread *skein_semaphore_create_call(Thread *self, uint64_t count) {
  thread_error_clear(self);
  self->result = object_new(SKEIN_GLOBAL_SEMAPHORE, static_cast<unsigned>(count));
  return self;
}
extern "C" Thread *skein_semaphore_wait_call(Thread *self, uint64_t handle) {
  return skein_global_call(self, handle, SKEIN_GLOBAL_WAIT, 0, 0);
}
extern "C" Thread *skein_semaphore_trywait_call(Thread *self, uint64_t handle) {
  return skein_global_call(self, handle, SKEIN_GLOBAL_TRY_WAIT, 0, 0);
}
extern "C" Thread *skein_semaphore_signal_call(Thread *self, uint64_t handle) {
  return skein_global_call(self, handle, SKEIN_GLOBAL_SIGNAL, 0, 0);
}
extern "C" Thread *skein_semaphore_free_call(Thread *self, uint64_t handle) {
  return skein_global_call(self, handle, SKEIN_GLOBAL_FREE, 0, 0);
}

/// Called in a plain handler of a message, or in a kernel thread of the program.
extern "C" int skein_outside_signal(uint64_t handle) {
  if (!handle || home_of(handle) >= node.count)
    return SKEIN_ETHREAD;
  if (!link_keeps(home_of(handle)))
    return SKEIN_EDEAD;
  if (keeper_of(home_of(handle)) != node.self) {
    tell_object(handle, 0, SKEIN_GLOBAL_SIGNAL, 0, nullptr, 0);
    return SKEIN_OK;
  }
  ObjectWaiter own = {nullptr, node.self, 0, SKEIN_GLOBAL_SIGNAL, 0, 0, 0, nullptr, nullptr, 0};
  step_now(handle, own, nullptr, 0);
  return own.code;
}

} // namespace

void objects_start() {
  link_handle<GlobalMessage>(on_global);
  link_handle<GlobalCreateMessage>(on_create);
  events.thread_ended.add(on_thread_ended, true);
  node_died.add(on_node_died);
  estate_add(objects_estate);
  standing.add(on_standing);
}

} // namespace skein
