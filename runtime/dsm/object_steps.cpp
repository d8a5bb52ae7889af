// The operations of objects over nodes; see object_steps.h.
#include "dsm/object_steps.h"
#include "abi/entry_points.h"
#include "base/assert.h"
#include "base/node.h"
#include "net/run/membership.h"
#include "net/wire/link.h"
#include "thread/thread.h"

#include <skein/global.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace skein {

SpinLock objects_lock{Rank::dsm};
IdTable<GlobalObject *> objects;
IdTable<Together> together;

namespace {

uint64_t last_number;

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
    {"skein_global_shrink", SKEIN_GLOBAL_ROUND},
    {"skein_global_free", UINT64_MAX},
};
static_assert(sizeof operations / sizeof *operations == SKEIN_GLOBAL_FREE + 1);
constexpr char orphan_ended[] = "which held it, ended without unlocking it";
constexpr char orphan_lost[] = "which held it, was lost with its node, or nobody knows where it is";
constexpr char freed[] = "the object was freed while the thread waited";

void grant(WaiterQueue &granted, ObjectWaiter *waiter, int code = SKEIN_OK, const char *text = nullptr,
           SharedValue *value = nullptr) {
  waiter->code = code;
  waiter->text = text;
  waiter->value = value;
  if (value)
    value->references++;
  granted.push(waiter);
}

/// Grants an error that is about a thread.
void fail(WaiterQueue &granted, ObjectWaiter *waiter, int code, uint64_t about, const char *text) {
  waiter->about = about;
  grant(granted, waiter, code, text);
}
void refuse_orphan(const GlobalObject &mutex, ObjectWaiter *waiter, WaiterQueue &granted) {
  fail(granted, waiter, mutex.orphaned, mutex.word, mutex.orphaned == SKEIN_EDEAD ? orphan_lost : orphan_ended);
}

/// Gives a mutex to the first waiter, or to nobody if none waits.
void hand_over(GlobalObject &mutex, WaiterQueue &granted) {
  ObjectWaiter *next = mutex.waiters.pop();
  mutex.word = next ? next->thread : 0;
  if (next)
    grant(granted, next);
}

template <class Word, class Combine> void combine(SharedValue &into, const void *data, Combine &&function) {
  for (size_t at = 0; at + sizeof(Word) <= into.bytes; at += sizeof(Word)) {
    Word a, b;
    memcpy(&a, into.data + at, sizeof a);
    memcpy(&b, static_cast<const char *>(data) + at, sizeof b);
    a = function(a, b);
    memcpy(into.data + at, &a, sizeof a);
  }
}

template <class Word> bool reduce_arithmetic(SharedValue &into, const void *data, uint64_t operation) {
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
template <class Word> void reduce_order(SharedValue &into, const void *data, bool max) {
  combine<Word>(into, data, [max](Word a, Word b) { return (a < b) == max ? b : a; });
}

/// False: there is no such operation.
bool reduce(SharedValue &into, const void *data, uint64_t operation) {
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

constexpr char party_died[] = "died, and nobody knows whether a party of this round was there "
                              "(skein_global_shrink says how many are left)";

/// Ends a round: its waiters get an error, since a node died, and its value is dropped.
void end_round(GlobalObject &round, int dead, WaiterQueue &granted) {
  while (ObjectWaiter *waiter = round.waiters.pop())
    if (dead < 0)
      grant(granted, waiter, SKEIN_EDEAD, "a node died, and the parties of this round are others now");
    else
      fail(granted, waiter, SKEIN_EDEAD, about_node + static_cast<uint64_t>(dead), party_died);
  value_drop(round.value);
  round.value = nullptr;
  round.word = 0;
  round.sent = false;
}

/// Sets the number of parties. `argument` has that number, and after how many deaths it holds (48 bits).
void shrink(GlobalObject &round, ObjectWaiter *own, WaiterQueue &granted) {
  const uint64_t parties = own->argument & UINT32_MAX;
  const int deaths = static_cast<int>(own->argument >> 32);
  if (!parties || deaths >= node.count)
    return grant(granted, own, SKEIN_EREFUSED, "a round has one party at least, and a node that lives");
  if (deaths < std::max(round.deaths, deaths_known()))
    return grant(granted, own, SKEIN_EDEAD, "more nodes are dead by now");
  if (deaths == round.deaths && parties != round.parties)
    return grant(granted, own, SKEIN_EREFUSED, "another number of parties was given for as many deaths");
  if (deaths > round.deaths)
    end_round(round, -1, granted);
  round.parties = parties;
  round.deaths = deaths;
  grant(granted, own);
}

/// A party has come to a round. The last one grants all, with the round's value if they ask for it.
void come(GlobalObject &round, ObjectWaiter *own, const void *data, size_t bytes, WaiterQueue &granted) {
  if (deaths_known() > round.deaths)
    return fail(granted, own, SKEIN_EDEAD, about_node + static_cast<uint64_t>(dead_node(round.deaths)), party_died);
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
    SharedValue *probe = value_new(&nothing, 0);
    const bool known = reduce(*probe, &nothing, own->argument);
    value_drop(probe);
    if (!known) {
      value_drop(round.value);
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
  while (ObjectWaiter *waiter = round.waiters.pop())
    if (missing)
      grant(granted, waiter, SKEIN_EREFUSED, "no party of this round has sent");
    else
      grant(granted, waiter, SKEIN_OK, nullptr, waiter->operation == SKEIN_GLOBAL_SEND ? nullptr : round.value);
  value_drop(round.value);
  round.value = nullptr;
  round.word = 0;
  round.sent = false;
}

void get(GlobalObject &event, ObjectWaiter *waiter, WaiterQueue &granted) {
  if (waiter->operation == SKEIN_GLOBAL_LATCH_WAIT)
    grant(granted, waiter);
  else if (!event.value || event.value->bytes != waiter->argument)
    grant(granted, waiter, SKEIN_EMEMORY, "the value has another size");
  else
    grant(granted, waiter, SKEIN_OK, nullptr, event.value);
}

} // namespace

const char *operation_name(uint64_t operation) {
  SKEIN_ASSERT(operation <= SKEIN_GLOBAL_FREE, "there is no operation %llu",
               static_cast<unsigned long long>(operation));
  return operations[operation].name;
}

bool operation_waits(uint64_t operation) {
  switch (operation) {
  case SKEIN_GLOBAL_WAIT:
  case SKEIN_GLOBAL_LOCK:
  case SKEIN_GLOBAL_CONDITION_WAIT:
  case SKEIN_GLOBAL_BARRIER_WAIT:
  case SKEIN_GLOBAL_REDUCE:
  case SKEIN_GLOBAL_SEND:
  case SKEIN_GLOBAL_RECEIVE:
  case SKEIN_GLOBAL_LATCH_WAIT:
  case SKEIN_GLOBAL_FUTURE_GET:
    return true;
  default:
    return false;
  }
}

SharedValue *value_new(const void *data, size_t bytes) {
  auto *value = static_cast<SharedValue *>(message_memory(sizeof(SharedValue) + bytes));
  value->references = 1;
  value->bytes = bytes;
  if (data && bytes)
    memcpy(value->data, data, bytes);
  return value;
}

void value_drop(SharedValue *value) {
  if (value && --value->references == 0)
    free(value);
}

uint64_t object_new(uint64_t kind, uint64_t value) {
  auto *object = static_cast<GlobalObject *>(message_memory(sizeof(GlobalObject)));
  const bool round = kind == SKEIN_GLOBAL_ROUND;
  *object = {kind, round ? 0 : value, round ? std::max<uint64_t>(value, 1) : 0, 0, false, deaths_known(), 0, nullptr,
             {}};
  Guard guard(objects_lock);
  const uint64_t handle = static_cast<uint64_t>(node.self) << id_node_shift | ++last_number;
  objects[handle] = object;
  return handle;
}

void mutex_orphan(GlobalObject &mutex, int code, WaiterQueue &granted) {
  mutex.orphaned = code;
  while (ObjectWaiter *waiter = mutex.waiters.pop())
    refuse_orphan(mutex, waiter, granted);
}

void object_without(GlobalObject &object, int node, WaiterQueue &granted) {
  const bool round = object.kind == SKEIN_GLOBAL_ROUND && deaths_known() > object.deaths;
  WaiterQueue waiters = object.waiters;
  object.waiters = {};
  while (ObjectWaiter *waiter = waiters.pop())
    if (waiter->from == node) {
      if (object.kind == SKEIN_GLOBAL_ROUND)
        object.word--; // it came to a round that had begun without it
      free(waiter);
    } else
      object.waiters.push(waiter);
  if (round)
    end_round(object, node, granted);
}

bool object_step(uint64_t handle, ObjectWaiter *own, const void *data, size_t bytes, bool may_queue,
                 WaiterQueue &granted) {
  GlobalObject **found = objects.find(handle);
  if (!found || (operations[own->operation].kind != UINT64_MAX && (*found)->kind != operations[own->operation].kind)) {
    grant(granted, own, SKEIN_ETHREAD, object_unknown);
    return true;
  }
  GlobalObject &object = **found;
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
    if (ObjectWaiter *first = object.waiters.pop())
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
    object.orphaned = 0; // the holder was alive after all
    hand_over(object, granted);
    return true;
  case SKEIN_GLOBAL_CONDITION_WAIT: {
    GlobalObject **mutex = objects.find(object.word);
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
    GlobalObject **mutex = objects.find(object.word);
    do {
      ObjectWaiter *first = object.waiters.pop();
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
  case SKEIN_GLOBAL_SHRINK:
    shrink(object, own, granted);
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
      while (ObjectWaiter *waiter = object.waiters.pop())
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
    GlobalObject *gone = *found;
    objects.erase(handle);
    while (ObjectWaiter *waiter = gone->waiters.pop())
      grant(granted, waiter, SKEIN_ETHREAD, freed);
    value_drop(gone->value);
    free(gone);
    grant(granted, own);
    return true;
  }
  }
}

} // namespace skein
