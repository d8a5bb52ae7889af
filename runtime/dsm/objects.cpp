// Objects, their operations and their handles; see objects.h.
#include "dsm/objects.h"
#include "base/log.h"
#include "net/active.h"
#include "net/awaits.h"
#include "net/births.h"
#include "net/id_table.h"
#include "net/membership.h"
#include "sched/sched.h"

#include <skein/global.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr size_t value_most = 1 << 20;

/// Bytes that several waiters may be granted.
struct Value {
  uint32_t references; // under the lock
  size_t bytes;
  char data[];
};

struct Waiter {
  Waiter *next;
  int from;
  uint64_t call; // 0: nobody waits for the answer
  uint64_t operation, argument, thread;
  // Once granted:
  int code;
  const char *text;
  Value *value;   // or null
  uint64_t about; // the thread that the text is about; or a node, from about_node on; 0: nothing
};

constexpr uint64_t about_node = UINT64_C(1) << 62;

/// First come, first served.
class Queue {
public:
  bool empty() const { return !first_; }
  void push(Waiter *waiter) {
    waiter->next = nullptr;
    *(first_ ? &last_->next : &first_) = waiter;
    last_ = waiter;
  }
  Waiter *pop() {
    Waiter *waiter = first_;
    if (waiter)
      first_ = waiter->next;
    return waiter;
  }

private:
  Waiter *first_ = nullptr, *last_ = nullptr;
};

struct Object {
  uint64_t kind;
  uint64_t word; // semaphore: count; mutex: its holder; condition: its mutex; round: who has come; event: to count down
  uint64_t parties; // of a round
  uint64_t shape;   // of the round that is under way: what all must ask for
  bool sent;        // a broadcast's value is there
  int orphaned;     // a mutex's: its holder is gone, the code for all who want it; 0: it is not
  Value *value;     // of a round or a future
  Queue waiters;
};

SpinLock lock{Rank::dsm};
IdTable<Object *> objects; // by handle
uint64_t last_number;

/// A collective creation that not all parties have joined.
struct Together {
  uint64_t object, left, kind, value;
};
IdTable<Together> together; // by key

int home_of(uint64_t handle) { return static_cast<int>(handle >> id_node_shift); }

struct OperationInfo {
  const char *name;
  uint64_t kind;
};
constexpr OperationInfo operations[] = {
    {"skein_semaphore_wait", SKEIN_GLOBAL_SEMAPHORE},
    {"skein_semaphore_trywait", SKEIN_GLOBAL_SEMAPHORE},
    {"skein_semaphore_signal", SKEIN_GLOBAL_SEMAPHORE},
    {"skein_global_mutex_lock", SKEIN_GLOBAL_MUTEX},
    {"skein_global_mutex_trylock", SKEIN_GLOBAL_MUTEX},
    {"skein_global_mutex_unlock", SKEIN_GLOBAL_MUTEX},
    {"skein_global_condition_wait", SKEIN_GLOBAL_CONDITION},
    {"skein_global_condition_signal", SKEIN_GLOBAL_CONDITION},
    {"skein_global_condition_broadcast", SKEIN_GLOBAL_CONDITION},
    {"skein_global_barrier_wait", SKEIN_GLOBAL_ROUND},
    {"skein_reduce", SKEIN_GLOBAL_ROUND},
    {"skein_broadcast_send", SKEIN_GLOBAL_ROUND},
    {"skein_broadcast_receive", SKEIN_GLOBAL_ROUND},
    {"skein_global_latch_down", SKEIN_GLOBAL_EVENT},
    {"skein_global_latch_wait", SKEIN_GLOBAL_EVENT},
    {"skein_global_future_set", SKEIN_GLOBAL_EVENT},
    {"skein_global_future_get", SKEIN_GLOBAL_EVENT},
    {"skein_global_free", UINT64_MAX},
};
static_assert(sizeof operations / sizeof *operations == SKEIN_GLOBAL_FREE + 1);
/// Not of programs: `thread`, which may have held mutexes of the receiver, has ended.
constexpr uint64_t holder_ended = SKEIN_GLOBAL_FREE + 1;

constexpr char unknown[] = "there is no such object: it was freed, or never created";
constexpr char orphan_ended[] = "which held it, ended without unlocking it";
constexpr char orphan_lost[] = "which held it, was lost with its node, or nobody knows where it is";
constexpr char freed[] = "the object was freed while the thread waited";

// --- what operations do, under the lock ------------------------------------------------------------------------------

void drop(Value *value) {
  if (value && --value->references == 0)
    free(value);
}

Value *value_new(const void *data, size_t bytes) {
  auto *value = static_cast<Value *>(message_memory(sizeof(Value) + bytes));
  value->references = 1;
  value->bytes = bytes;
  if (bytes)
    memcpy(value->data, data, bytes);
  return value;
}

void grant(Queue &granted, Waiter *waiter, int code = SKEIN_OK, const char *text = nullptr, Value *value = nullptr) {
  waiter->code = code;
  waiter->text = text;
  waiter->value = value;
  if (value)
    value->references++;
  granted.push(waiter);
}

/// An error that is about a thread.
void fail(Queue &granted, Waiter *waiter, int code, uint64_t about, const char *text) {
  waiter->about = about;
  grant(granted, waiter, code, text);
}
void refuse_orphan(const Object &mutex, Waiter *waiter, Queue &granted) {
  fail(granted, waiter, mutex.orphaned, mutex.word, mutex.orphaned == SKEIN_EDEAD ? orphan_lost : orphan_ended);
}

/// The holder of a mutex is gone, for which `code` stands. Nobody gets it any more: what it guards may be half done.
void orphan(Object &mutex, int code, Queue &granted) {
  mutex.orphaned = code;
  while (Waiter *waiter = mutex.waiters.pop())
    refuse_orphan(mutex, waiter, granted);
}

/// A mutex gets a new holder: the first who waits, or nobody.
void hand_over(Object &mutex, Queue &granted) {
  Waiter *next = mutex.waiters.pop();
  mutex.word = next ? next->thread : 0;
  if (next)
    grant(granted, next);
}

template <class Word, class Combine> void combine(Value &into, const void *data, Combine &&function) {
  for (size_t at = 0; at + sizeof(Word) <= into.bytes; at += sizeof(Word)) {
    Word a, b;
    memcpy(&a, into.data + at, sizeof a);
    memcpy(&b, static_cast<const char *>(data) + at, sizeof b);
    a = function(a, b);
    memcpy(into.data + at, &a, sizeof a);
  }
}

template <class Word> bool reduce_arithmetic(Value &into, const void *data, uint64_t operation) {
  switch (operation) {
  case SKEIN_REDUCE_ADD:
    combine<Word>(into, data, [](Word a, Word b) { return a + b; });
    return true;
  case SKEIN_REDUCE_MULTIPLY:
    combine<Word>(into, data, [](Word a, Word b) { return a * b; });
    return true;
  default:
    return false;
  }
}
template <class Word> void reduce_order(Value &into, const void *data, bool max) {
  combine<Word>(into, data, [max](Word a, Word b) { return (a < b) == max ? b : a; });
}

/// False: there is no such operation.
bool reduce(Value &into, const void *data, uint64_t operation) {
  const bool doubles = operation & 8;
  operation &= 7;
  if (doubles ? reduce_arithmetic<double>(into, data, operation) : reduce_arithmetic<uint64_t>(into, data, operation))
    return true;
  switch (operation) {
  case SKEIN_REDUCE_MIN:
  case SKEIN_REDUCE_MAX:
    if (doubles)
      reduce_order<double>(into, data, operation == SKEIN_REDUCE_MAX);
    else
      reduce_order<int64_t>(into, data, operation == SKEIN_REDUCE_MAX);
    return true;
  case SKEIN_REDUCE_AND:
    combine<uint64_t>(into, data, [](uint64_t a, uint64_t b) { return a & b; });
    return !doubles;
  case SKEIN_REDUCE_OR:
    combine<uint64_t>(into, data, [](uint64_t a, uint64_t b) { return a | b; });
    return !doubles;
  default:
    return false;
  }
}

/// One of a round's parties has come. The last one lets all go, with the round's value if they want it.
void come(Object &round, Waiter *own, const void *data, size_t bytes, Queue &granted) {
  const bool reduces = own->operation == SKEIN_GLOBAL_REDUCE, sends = own->operation == SKEIN_GLOBAL_SEND;
  const bool receives = own->operation == SKEIN_GLOBAL_RECEIVE;
  const uint64_t size = receives ? own->argument : bytes;
  const uint64_t shape = size << 8 | (reduces ? own->argument : sends || receives ? 0x40 : 0x80);
  if (round.word == 0)
    round.shape = shape;
  if (shape != round.shape || size > value_most || (reduces && size % 8))
    return grant(granted, own, SKEIN_EREFUSED, "the others of this round ask for something else");
  if (sends && round.sent)
    return grant(granted, own, SKEIN_ELOCK, "another party has sent in this round");
  if (sends) {
    round.sent = true;
    round.value = value_new(data, bytes);
  } else if (reduces && !round.value) {
    round.value = value_new(data, bytes);
    uint64_t nothing = 0;
    Value *probe = value_new(&nothing, 0);
    const bool known = reduce(*probe, &nothing, own->argument);
    drop(probe);
    if (!known) {
      drop(round.value);
      round.value = nullptr;
      return grant(granted, own, SKEIN_EREFUSED, "there is no such operation on these values");
    }
  } else if (reduces) {
    reduce(*round.value, data, own->argument);
  }
  round.waiters.push(own);
  if (++round.word < round.parties)
    return;
  const bool missing = !(shape & 0x80) && !round.value;
  while (Waiter *waiter = round.waiters.pop())
    if (missing)
      grant(granted, waiter, SKEIN_EREFUSED, "no party of this round has sent");
    else
      grant(granted, waiter, SKEIN_OK, nullptr, waiter->operation == SKEIN_GLOBAL_SEND ? nullptr : round.value);
  drop(round.value);
  round.value = nullptr;
  round.word = 0;
  round.sent = false;
}

void get(Object &event, Waiter *waiter, Queue &granted) {
  if (waiter->operation == SKEIN_GLOBAL_LATCH_WAIT)
    grant(granted, waiter);
  else if (!event.value || event.value->bytes != waiter->argument)
    grant(granted, waiter, SKEIN_EMEMORY, "the value has another size");
  else
    grant(granted, waiter, SKEIN_OK, nullptr, event.value);
}

/// Do an operation. `own` is granted or queued from here on. But if `own` may not be queued: false if it would be, and
/// nothing has happened.
bool step(uint64_t handle, Waiter *own, const void *data, size_t bytes, bool may_queue, Queue &granted) {
  Object **found = objects.find(handle);
  if (!found || (operations[own->operation].kind != UINT64_MAX && (*found)->kind != operations[own->operation].kind)) {
    grant(granted, own, SKEIN_ETHREAD, unknown);
    return true;
  }
  Object &object = **found;
  const auto take_or_wait = [&](bool is_free, uint64_t taken) {
    if (!is_free && !may_queue)
      return false;
    if (is_free) {
      object.word = taken;
      grant(granted, own);
    } else {
      object.waiters.push(own);
    }
    return true;
  };
  switch (own->operation) {
  case SKEIN_GLOBAL_WAIT:
    return take_or_wait(object.word != 0, object.word - 1);
  case SKEIN_GLOBAL_TRY_WAIT:
    grant(granted, own, object.word ? SKEIN_OK : SKEIN_EBUSY, "the count is 0");
    if (object.word)
      object.word--;
    return true;
  case SKEIN_GLOBAL_SIGNAL:
    if (Waiter *first = object.waiters.pop())
      grant(granted, first);
    else
      object.word++;
    grant(granted, own);
    return true;
  case SKEIN_GLOBAL_LOCK:
    if (object.word == own->thread) {
      grant(granted, own, SKEIN_ELOCK, "the thread holds it already");
      return true;
    }
    if (object.orphaned) {
      refuse_orphan(object, own, granted);
      return true;
    }
    return take_or_wait(object.word == 0, own->thread);
  case SKEIN_GLOBAL_TRY_LOCK:
    if (object.orphaned) {
      refuse_orphan(object, own, granted);
      return true;
    }
    grant(granted, own, object.word ? SKEIN_EBUSY : SKEIN_OK, "a thread holds it");
    if (!object.word)
      object.word = own->thread;
    return true;
  case SKEIN_GLOBAL_UNLOCK:
    if (object.word != own->thread) {
      grant(granted, own, SKEIN_ELOCK, "the thread does not hold it");
      return true;
    }
    grant(granted, own);
    object.orphaned = 0; // it lived after all
    hand_over(object, granted);
    return true;
  case SKEIN_GLOBAL_CONDITION_WAIT: {
    Object **mutex = objects.find(object.word);
    if (!mutex || (*mutex)->word != own->thread) {
      grant(granted, own, SKEIN_ELOCK, "the thread does not hold the condition's mutex");
      return true;
    }
    if (!may_queue)
      return false;
    hand_over(**mutex, granted);
    object.waiters.push(own);
    return true;
  }
  case SKEIN_GLOBAL_CONDITION_SIGNAL:
  case SKEIN_GLOBAL_CONDITION_BROADCAST: {
    Object **mutex = objects.find(object.word);
    do {
      Waiter *first = object.waiters.pop();
      if (!first)
        break;
      if (!mutex)
        grant(granted, first, SKEIN_ETHREAD, "the condition's mutex was freed while the thread waited");
      else if ((*mutex)->orphaned)
        refuse_orphan(**mutex, first, granted);
      else if ((*mutex)->word)
        (*mutex)->waiters.push(first);
      else {
        (*mutex)->word = first->thread;
        grant(granted, first);
      }
    } while (own->operation == SKEIN_GLOBAL_CONDITION_BROADCAST);
    grant(granted, own);
    return true;
  }
  case SKEIN_GLOBAL_BARRIER_WAIT:
  case SKEIN_GLOBAL_REDUCE:
  case SKEIN_GLOBAL_SEND:
  case SKEIN_GLOBAL_RECEIVE:
    if (!may_queue)
      return false;
    come(object, own, data, bytes, granted);
    return true;
  case SKEIN_GLOBAL_FUTURE_SET:
    if (object.value || !object.word || bytes > value_most) {
      grant(granted, own, bytes > value_most ? SKEIN_EMEMORY : SKEIN_ELOCK,
            bytes > value_most ? "a value has at most 1 MiB" : "it has been set before");
      return true;
    }
    object.value = value_new(data, bytes);
    own->argument = 1;
    [[fallthrough]];
  case SKEIN_GLOBAL_LATCH_DOWN:
    object.word -= std::min(object.word, own->argument);
    if (!object.word)
      while (Waiter *waiter = object.waiters.pop())
        get(object, waiter, granted);
    grant(granted, own);
    return true;
  case SKEIN_GLOBAL_LATCH_WAIT:
  case SKEIN_GLOBAL_FUTURE_GET:
    if (object.word && !may_queue)
      return false;
    if (object.word)
      object.waiters.push(own);
    else
      get(object, own, granted);
    return true;
  default: { // SKEIN_GLOBAL_FREE
    Object *gone = *found;
    objects.erase(handle);
    while (Waiter *waiter = gone->waiters.pop())
      grant(granted, waiter, SKEIN_ETHREAD, freed);
    drop(gone->value);
    free(gone);
    grant(granted, own);
    return true;
  }
  }
}

// --- requests --------------------------------------------------------------------------------------------------------

/// What a refusal says.
struct Words {
  char text[160];
};
Words words_of(const Waiter &waiter) {
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

void answer(Queue &granted) {
  while (Waiter *waiter = granted.pop()) {
    if (!waiter->call) {
      if (waiter->code)
        log("thread %s on node %d: %s: %s", thread_name(waiter->thread).text, waiter->from,
            operations[waiter->operation].name, words_of(*waiter).text);
    } else if (waiter->code) {
      const Words words = words_of(*waiter);
      call_reply(waiter->from, waiter->call, static_cast<uint64_t>(waiter->code), words.text, strlen(words.text));
    } else {
      Value *value = waiter->value;
      call_reply(waiter->from, waiter->call, SKEIN_OK, value ? value->data : nullptr, value ? value->bytes : 0);
    }
    if (waiter->value) {
      Guard guard(lock);
      drop(waiter->value);
    }
    free(waiter);
  }
}

void request(int from, uint64_t call, uint64_t handle, uint64_t operation_word, uint64_t thread, const void *data,
             size_t bytes) {
  auto *own = static_cast<Waiter *>(message_memory(sizeof(Waiter)));
  *own = {nullptr, from, call, operation_word & 0xffff, operation_word >> 16, thread, 0, nullptr, nullptr, 0};
  Queue granted;
  {
    Guard guard(lock);
    step(handle, own, data, bytes, true, granted);
  }
  answer(granted);
}

// --- who is gone -----------------------------------------------------------------------------------------------------

/// All mutexes that the thread holds here are orphans from now on.
void holder_gone(uint64_t thread, int code) {
  Queue granted;
  {
    Guard guard(lock);
    objects.each([&](uint64_t, Object *&object) {
      if (object->kind == SKEIN_GLOBAL_MUTEX && object->word == thread && !object->orphaned)
        orphan(*object, code, granted);
    });
  }
  answer(granted);
}

void on_thread_ended(Thread *thread) {
  if (!thread->global_holds)
    return;
  holder_gone(thread->id, SKEIN_ELOCK);
  for (int peer = 0; peer < node.count; peer++)
    if (peer != node.self)
      link_tell<GlobalMessage>(peer, uint64_t{0}, uint64_t{0}, holder_ended, thread->id);
}

void finish_holder(const Call &call, const ReplyMessage *reply, size_t) {
  holder_gone(call.id, reply && !reply->value ? SKEIN_ELOCK : SKEIN_EDEAD);
}

/// Those who waited there wait no more. Of rounds nobody knows who was still to come: they begin anew. Of mutexes, the
/// nodes where their holders were born know what became of these.
void on_node_died(int peer) {
  Queue granted;
  uint64_t *holders = nullptr;
  size_t count = 0;
  {
    Guard guard(lock);
    holders = static_cast<uint64_t *>(message_memory((objects.size() + 1) * sizeof *holders));
    objects.each([&](uint64_t, Object *&object) {
      const bool round = object->kind == SKEIN_GLOBAL_ROUND;
      Queue waiters = object->waiters;
      object->waiters = {};
      while (Waiter *waiter = waiters.pop())
        if (waiter->from == peer)
          free(waiter);
        else if (round)
          fail(granted, waiter, SKEIN_EDEAD, about_node + static_cast<uint64_t>(peer),
               "died, and nobody knows whether a party of this round was there");
        else
          object->waiters.push(waiter);
      if (round) {
        drop(object->value);
        object->value = nullptr;
        object->word = 0;
        object->sent = false;
      }
      if (object->kind == SKEIN_GLOBAL_MUTEX && object->word && !object->orphaned)
        holders[count++] = object->word;
    });
  }
  answer(granted);
  for (size_t i = 0; i < count; i++)
    births_tell_end(holders[i],
                    call_begin({finish_holder, thread_id_node(holders[i]), nullptr, holders[i], nullptr, 0}));
  free(holders);
}

// --- messages --------------------------------------------------------------------------------------------------------

void on_global(Arrival &arrival) {
  const auto &ask = arrival.body<GlobalMessage>();
  if (ask.operation == holder_ended)
    return holder_gone(ask.thread, SKEIN_ELOCK);
  if ((ask.operation & 0xffff) > SKEIN_GLOBAL_FREE)
    return call_reply(arrival.from, ask.call, SKEIN_EREFUSED);
  request(arrival.from, ask.call, ask.object, ask.operation, ask.thread, arrival.data<GlobalMessage>(),
          arrival.data_bytes<GlobalMessage>());
}

/// A thread has got a mutex, or let go of one. It is counted before it is asked for, since the answer may find the
/// thread on another node: rather once too often than not at all.
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

void tell(uint64_t handle, uint64_t call, uint64_t operation, uint64_t thread, const void *data, size_t bytes) {
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
  const char *name = operations[call.id].name;
  note_hold(call.waiter, call.id, reply ? static_cast<int>(reply->value) : SKEIN_EDEAD);
  if (!reply)
    return wake_with_error(call.waiter, SKEIN_EDEAD, "%s: node %d, where the object lives, died", name, call.peer);
  if (reply->value)
    return wake_with_error(call.waiter, static_cast<int>(reply->value), "%s: %.*s", name, static_cast<int>(data_bytes),
                           reinterpret_cast<const char *>(reply + 1));
  if (call.place && data_bytes == call.place_bytes)
    memcpy(call.place, reply + 1, data_bytes);
  thread_wake(call.waiter, SKEIN_OK);
}

/// SKEIN_OK, or said to `self` why the handle cannot be used.
int check(Thread *self, uint64_t handle, const char *function) {
  if (!handle || home_of(handle) >= node.count)
    return thread_error(self, SKEIN_ETHREAD, "%s: %s", function, unknown);
  if (!link_alive(home_of(handle)))
    return thread_error(self, SKEIN_EDEAD, "%s: node %d, where the object lives, is dead", function, home_of(handle));
  return SKEIN_OK;
}

extern "C" Thread *skein_global_call(Thread *self, uint64_t handle, uint64_t operation_word, uint64_t data_word,
                                     uint64_t bytes) {
  thread_error_clear(self);
  const uint64_t operation = operation_word & 0xffff;
  const char *name = operations[operation].name;
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
  const int home = home_of(handle);
  if (home == node.self) { // without blocking, if that can be
    Waiter own = {nullptr, home, 0, operation, operation_word >> 16, self->id, 0, nullptr, nullptr, 0};
    Queue granted, others;
    bool done;
    {
      Guard guard(lock);
      done = step(handle, &own, data, sent, false, granted);
      while (Waiter *waiter = granted.pop())
        if (waiter != &own)
          others.push(waiter);
      if (done && own.value) {
        memcpy(data, own.value->data, bytes);
        drop(own.value);
      }
    }
    answer(others);
    if (done) {
      self->result =
          static_cast<uint64_t>(own.code ? thread_error(self, own.code, "%s: %s", name, words_of(own).text) : SKEIN_OK);
      note_hold(self, operation, own.code);
      return self;
    }
  }
  char *const place = results ? data : nullptr;
  const bool movable = await_may_leave(*self, place);
  thread_block(self, name, reinterpret_cast<void *>(handle));
  const uint64_t call = call_begin({finish, home, self, operation, place, results ? bytes : 0});
  if (home == node.self)
    request(home, call, handle, operation_word, self->id, data, sent);
  else
    tell(handle, call, operation_word, self->id, data, sent);
  if (movable)
    call_sent_movable(call);
  else
    call_sent(call);
  return thread_next();
}

// --- creation --------------------------------------------------------------------------------------------------------

uint64_t object_new(uint64_t kind, uint64_t value) {
  auto *object = static_cast<Object *>(message_memory(sizeof(Object)));
  const bool round = kind == SKEIN_GLOBAL_ROUND;
  *object = {kind, round ? 0 : value, round ? std::max<uint64_t>(value, 1) : 0, 0, false, 0, nullptr, {}};
  Guard guard(lock);
  const uint64_t handle = static_cast<uint64_t>(node.self) << id_node_shift | ++last_number;
  objects[handle] = object;
  return handle;
}

/// 0: `why` says why not.
uint64_t create(uint64_t kind, uint64_t value, uint64_t key_and_parties, const char *&why) {
  const uint64_t parties = key_and_parties & 0xffff, key = (key_and_parties >> 16) + 1;
  if (kind == SKEIN_GLOBAL_CONDITION) {
    Guard guard(lock);
    Object **mutex = objects.find(value);
    if (!mutex || (*mutex)->kind != SKEIN_GLOBAL_MUTEX) {
      why = "there is no such mutex on this node";
      return 0;
    }
  }
  if (parties < 2)
    return object_new(kind, value);
  {
    Guard guard(lock);
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
  // Creations come one at a time: from handlers, or under link_exclusive.
  const uint64_t object = object_new(kind, value);
  Guard guard(lock);
  together[key] = {object, parties - 1, kind, value};
  return object;
}

void on_create(Arrival &arrival) {
  const auto &ask = arrival.body<GlobalCreateMessage>();
  const char *why = "";
  const uint64_t object = create(ask.kind, ask.value, ask.together, why);
  if (object)
    call_reply(arrival.from, ask.call, SKEIN_OK, &object, sizeof object);
  else
    call_reply(arrival.from, ask.call, SKEIN_EREFUSED, why, strlen(why));
}

constexpr char creates[] = "creation of a global object";

void finish_create(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  uint64_t object = 0;
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
  if (home < 0 || home >= node.count) {
    thread_error(self, SKEIN_ENODE, "%s: there is no node %d, only 0 to %d", creates, home, node.count - 1);
    return self;
  }
  if (home != node.self) {
    thread_block(self, creates, nullptr);
    const uint64_t call = call_begin({finish_create, home, self, 0, nullptr, 0});
    link_tell<GlobalCreateMessage>(home, call, kind, value, key_and_parties);
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
        what.object = create(what.kind, what.value, what.together, what.why);
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

/// In a plain handler of a message, or a kernel thread of the program.
extern "C" int skein_outside_signal(uint64_t handle) {
  if (!handle || home_of(handle) >= node.count)
    return SKEIN_ETHREAD;
  if (!link_alive(home_of(handle)))
    return SKEIN_EDEAD;
  if (home_of(handle) != node.self) {
    tell(handle, 0, SKEIN_GLOBAL_SIGNAL, 0, nullptr, 0);
    return SKEIN_OK;
  }
  Waiter own = {nullptr, node.self, 0, SKEIN_GLOBAL_SIGNAL, 0, 0, 0, nullptr, nullptr, 0};
  Queue granted, others;
  {
    Guard guard(lock);
    step(handle, &own, nullptr, 0, false, granted);
  }
  while (Waiter *waiter = granted.pop())
    if (waiter != &own)
      others.push(waiter);
  answer(others);
  return own.code;
}

} // namespace

void objects_start() {
  link_handle<GlobalMessage>(on_global);
  link_handle<GlobalCreateMessage>(on_create);
  events.thread_ended.add(on_thread_ended);
  node_died.add(on_node_died);
}

} // namespace skein
