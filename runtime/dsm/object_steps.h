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

/// An object that is created by several parties together, of which not all have called yet.
struct Together {
  uint64_t object, left, kind, value;
};

extern SpinLock objects_lock;
extern IdTable<GlobalObject *> objects; // those that this node keeps, by handle
extern IdTable<Together> together;      // by together_id

/// Parties create an object together by naming the same home and the same key (of 48 bits).
inline uint64_t together_id(int home, uint64_t key) { return static_cast<uint64_t>(home) << 49 | (key + 1); }

inline constexpr size_t value_most = 1 << 20; // bytes of an object's value

/// The entry point of an operation, SKEIN_GLOBAL_*.
const char *operation_name(uint64_t operation);
inline constexpr char object_unknown[] = "there is no such object: it was freed, or never created";

/// Makes an object of this node, and returns its handle. Takes the lock.
uint64_t object_new(uint64_t kind, uint64_t value);
/// Whether a thread may wait for an operation, whatever object it is in whose queue it stands.
bool operation_waits(uint64_t operation);
/// A value, which the caller has one reference to. Without `data` its bytes are not set.
SharedValue *value_new(const void *data, size_t bytes);

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
