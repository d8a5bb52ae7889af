// An object over nodes, and what operations do to it. Nothing here sends messages; all of it is under objects_lock. See
// objects.h.
#ifndef SKEIN_DSM_OBJECT_STEPS_H
#define SKEIN_DSM_OBJECT_STEPS_H

#include "base/fifo.h"
#include "base/id_table.h"
#include "base/lock.h"

#include <cstddef>
#include <cstdint>

namespace skein {

/// Bytes that several waiters get.
struct SharedValue {
  uint32_t references; // under the lock
  size_t bytes;
  char data[];
};

struct ObjectWaiter {
  ObjectWaiter *next;
  int from;
  uint64_t call; // 0: nobody waits for the answer
  uint64_t operation, argument, thread;
  // Once granted:
  int code;
  const char *text;
  SharedValue *value; // or null
  uint64_t about;     // the thread that the text is about, or about_node + a node, or 0
};

inline constexpr uint64_t about_node = UINT64_C(1) << 62;

using WaiterQueue = Fifo<ObjectWaiter>;

struct GlobalObject {
  uint64_t kind;
  uint64_t word;    // semaphore: count; mutex: holder; condition: mutex; round: parties that came; event: to count down
  uint64_t parties; // of a round
  uint64_t shape;   // of the round that is under way: the operation, on which all parties must agree
  bool sent;        // of a broadcast: a party has sent the value
  int deaths;       // of a round: how many deaths of nodes `parties` takes into account
  int orphaned;     // of a mutex: not 0 if its holder is gone; the code for all that want it
  SharedValue *value; // of a round or a future
  WaiterQueue waiters;
};

extern SpinLock objects_lock;
extern IdTable<GlobalObject *> objects; // those of this node, by handle

/// The entry point of an operation, SKEIN_GLOBAL_*.
const char *operation_name(uint64_t operation);
inline constexpr char object_unknown[] = "there is no such object: it was freed, or never created";

/// Makes an object of this node, and returns its handle. Takes the lock.
uint64_t object_new(uint64_t kind, uint64_t value);

/// Does an operation: `own` is granted or queued. If it may not be queued, but would be: nothing happens, and false is
/// returned.
bool object_step(uint64_t handle, ObjectWaiter *own, const void *data, size_t bytes, bool may_queue,
                 WaiterQueue &granted);

/// The holder of a mutex is gone, for the reason `code`. No thread gets the mutex any more, since what it guards may be
/// half done.
void mutex_orphan(GlobalObject &mutex, int code, WaiterQueue &granted);
/// A node has died: its waiters are dropped. A round ends, since nobody knows which parties would still have come.
void object_without(GlobalObject &object, int node, WaiterQueue &granted);

/// A waiter that got the value does not need it any more.
void value_drop(SharedValue *value);

} // namespace skein

#endif
