// Handles of semaphores; see semaphores.h.
//
// Freeing while somebody waits: the object is marked closed, then everybody in the queue is granted an error; a waiter
// that queues looks at the mark afterwards and takes itself back. One of the two finds it. The object itself lives as
// long as anybody holds a reference.
#include "dsm/semaphores.h"
#include "base/log.h"
#include "net/calls.h"
#include "net/id_table.h"
#include "sched/sched.h"
#include "sync/semaphore.h"

#include <skein/skein.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace skein {

namespace {

struct Object {
  explicit Object(uint64_t count) : core(count) {}
  Semaphore core;
  std::atomic<bool> closed{false};
  std::atomic<uint32_t> references{1}; // the table's
};

SpinLock lock{Rank::dsm};
IdTable<Object *> objects; // by handle
uint64_t last_number;

int home_of(uint64_t handle) { return static_cast<int>(handle >> id_node_shift); }

void drop(Object *object) {
  if (object->references.fetch_sub(1, std::memory_order_acq_rel) == 1) // the last one sees all the others did
    free(object);
}

/// A reference to the object, null if there is none of that handle here.
Object *find(uint64_t handle) {
  Guard guard(lock);
  Object **found = objects.find(handle);
  if (!found)
    return nullptr;
  (*found)->references.fetch_add(1, std::memory_order_relaxed);
  return *found;
}

constexpr char unknown[] = "there is no such semaphore (freed, or never created)";
constexpr char freed[] = "the semaphore was freed while the thread waited";

/// Queue a record. True: it went through at once. After false, `granted` will be called, or has been.
bool queue(Object *object, WaitRecord *record) {
  if (object->core.wait(record))
    return true;
  if (object->closed.load(std::memory_order_seq_cst) && object->core.withdraw(record)) // pairs with the store in remove
    record->granted(record, SKEIN_ETHREAD);
  return false;
}

void grant_local(WaitRecord *record, uint64_t result) {
  Thread *thread = thread_of(record);
  if (result)
    wake_with_error(thread, static_cast<int>(result), "skein_semaphore_wait: %s", freed);
  else
    thread_wake(thread, SKEIN_OK);
}

struct RemoteWaiter : WaitRecord {
  int from;
  uint64_t call;
};

void grant_remote(WaitRecord *record, uint64_t result) {
  auto *waiter = static_cast<RemoteWaiter *>(record);
  call_reply(waiter->from, waiter->call, result, freed, result ? sizeof freed - 1 : 0);
  free(waiter);
}

bool remove(uint64_t handle) {
  Object *object;
  {
    Guard guard(lock);
    if (!objects.take(handle, object))
      return false;
  }
  object->closed.store(true, std::memory_order_seq_cst); // pairs with the load in queue
  object->core.close(SKEIN_ETHREAD);
  drop(object);
  return true;
}

bool signal(uint64_t handle) {
  Object *object = find(handle);
  if (!object)
    return false;
  object->core.signal();
  drop(object);
  return true;
}

void on_wait(Arrival &arrival) {
  const auto &ask = arrival.body<WaitMessage>();
  Object *object = find(ask.semaphore);
  if (!object) {
    call_reply(arrival.from, ask.call, SKEIN_ETHREAD, unknown, sizeof unknown - 1);
    return;
  }
  auto *waiter = new (message_memory(sizeof(RemoteWaiter))) RemoteWaiter;
  waiter->granted = grant_remote;
  waiter->from = arrival.from;
  waiter->call = ask.call;
  if (queue(object, waiter))
    grant_remote(waiter, SKEIN_OK);
  drop(object);
}

void on_signal(Arrival &arrival) {
  if (!signal(arrival.body<SignalMessage>().semaphore))
    log("node %d signals a semaphore that does not exist (any more)", arrival.from);
}

void on_free(Arrival &arrival) {
  const auto &ask = arrival.body<SemaphoreFreeMessage>();
  if (remove(ask.semaphore))
    call_reply(arrival.from, ask.call, SKEIN_OK);
  else
    call_reply(arrival.from, ask.call, SKEIN_ETHREAD, unknown, sizeof unknown - 1);
}

/// SKEIN_OK, or said to `self` why the handle cannot be used.
int check(Thread *self, uint64_t handle, const char *call) {
  if (!handle || home_of(handle) >= node.count)
    return thread_error(self, SKEIN_ETHREAD, "%s: %s", call, unknown);
  if (!link_alive(home_of(handle)))
    return thread_error(self, SKEIN_EDEAD, "%s: node %d, where the semaphore lives, is dead", call, home_of(handle));
  return SKEIN_OK;
}

Thread *answer(Thread *self, int code) {
  self->result = static_cast<uint64_t>(code);
  return self;
}

extern "C" Thread *skein_semaphore_wait_call(Thread *self, uint64_t handle) {
  thread_error_clear(self);
  if (int code = check(self, handle, "skein_semaphore_wait"))
    return answer(self, code);
  if (home_of(handle) != node.self) {
    thread_block(self, "skein_semaphore_wait", reinterpret_cast<void *>(handle));
    uint64_t call = call_begin({finish_with_code, home_of(handle), self, 0, nullptr, 0});
    link_tell<WaitMessage>(home_of(handle), call, handle);
    call_sent(call);
    return thread_next();
  }
  Object *object = find(handle);
  if (!object)
    return answer(self, thread_error(self, SKEIN_ETHREAD, "skein_semaphore_wait: %s", unknown));
  self->wait.granted = grant_local;
  thread_block(self, "skein_semaphore_wait", reinterpret_cast<void *>(handle));
  bool through = queue(object, &self->wait);
  drop(object);
  if (!through)
    return thread_next(); // from `queue` on another worker may already run it
  self->wait_reason = nullptr;
  self->wait_object = nullptr;
  self->state.store(ThreadState::running, std::memory_order_relaxed);
  return answer(self, SKEIN_OK);
}

extern "C" Thread *skein_semaphore_signal_call(Thread *self, uint64_t handle) {
  thread_error_clear(self);
  if (int code = check(self, handle, "skein_semaphore_signal"))
    return answer(self, code);
  if (home_of(handle) != node.self)
    link_tell<SignalMessage>(home_of(handle), handle);
  else if (!signal(handle))
    return answer(self, thread_error(self, SKEIN_ETHREAD, "skein_semaphore_signal: %s", unknown));
  return answer(self, SKEIN_OK);
}

/// In a plain handler of a message, or a kernel thread of the program.
extern "C" int skein_outside_signal(uint64_t handle) {
  if (!handle || home_of(handle) >= node.count)
    return SKEIN_ETHREAD;
  if (home_of(handle) == node.self)
    return signal(handle) ? SKEIN_OK : SKEIN_ETHREAD;
  if (!link_alive(home_of(handle)))
    return SKEIN_EDEAD;
  link_tell<SignalMessage>(home_of(handle), handle);
  return SKEIN_OK;
}

extern "C" Thread *skein_semaphore_create_call(Thread *self, uint64_t count) {
  thread_error_clear(self);
  self->result = 0;
  void *memory = malloc(sizeof(Object));
  if (!memory) {
    thread_error(self, SKEIN_EMEMORY, "skein_semaphore_create: out of memory");
    return self;
  }
  auto *object = new (memory) Object(static_cast<unsigned>(count));
  Guard guard(lock);
  uint64_t handle = static_cast<uint64_t>(node.self) << id_node_shift | ++last_number;
  objects[handle] = object;
  self->result = handle;
  return self;
}

extern "C" Thread *skein_semaphore_free_call(Thread *self, uint64_t handle) {
  thread_error_clear(self);
  if (int code = check(self, handle, "skein_semaphore_free"))
    return answer(self, code);
  if (home_of(handle) == node.self)
    return answer(self,
                  remove(handle) ? SKEIN_OK : thread_error(self, SKEIN_ETHREAD, "skein_semaphore_free: %s", unknown));
  thread_block(self, "skein_semaphore_free", nullptr);
  uint64_t call = call_begin({finish_with_code, home_of(handle), self, 0, nullptr, 0});
  link_tell<SemaphoreFreeMessage>(home_of(handle), call, handle);
  call_sent(call);
  return thread_next();
}

} // namespace

void semaphores_start() {
  link_handle<WaitMessage>(on_wait);
  link_handle<SignalMessage>(on_signal);
  link_handle<SemaphoreFreeMessage>(on_free);
}

} // namespace skein
