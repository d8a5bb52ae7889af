// What an object over nodes is, and what operations do to it: without messages, all under objects_lock. See objects.h.
#ifndef SKEIN_DSM_OBJECT_STEPS_H
#define SKEIN_DSM_OBJECT_STEPS_H

#include "base/id_table.h"
#include "base/lock.h"

#include <cstddef>
#include <cstdint>

namespace skein {

/// Bytes that several waiters may be granted.
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
  uint64_t about;     // the thread that the text is about; or a node, from about_node on; 0: nothing
};

inline constexpr uint64_t about_node = UINT64_C(1) << 62;

/// First come, first served.
class WaiterQueue {
public:
  bool empty() const { return !first_; }
  void push(ObjectWaiter *waiter) {
    waiter->next = nullptr;
    *(first_ ? &last_->next : &first_) = waiter;
    last_ = waiter;
  }
  ObjectWaiter *pop() {
    ObjectWaiter *waiter = first_;
    if (waiter)
      first_ = waiter->next;
    return waiter;
  }

  template <class Visit> void each(Visit &&visit) const {
    for (const ObjectWaiter *waiter = first_; waiter; waiter = waiter->next)
      visit(*waiter);
  }

private:
  ObjectWaiter *first_ = nullptr, *last_ = nullptr;
};

struct GlobalObject {
  uint64_t kind;
  uint64_t word; // semaphore: count; mutex: its holder; condition: its mutex; round: who has come; event: to count down
  uint64_t parties;   // of a round
  uint64_t shape;     // of the round that is under way: what all must ask for
  bool sent;          // a broadcast's value is there
  int deaths;         // of a round: so many are taken into account in `parties`
  int orphaned;       // a mutex's: its holder is gone, the code for all who want it; 0: it is not
  SharedValue *value; // of a round or a future
  WaiterQueue waiters;
};

extern SpinLock objects_lock;
extern IdTable<GlobalObject *> objects; // those of this node, by handle

/// The entry point of an operation, SKEIN_GLOBAL_*.
const char *operation_name(uint64_t operation);
inline constexpr char object_unknown[] = "there is no such object: it was freed, or never created";

/// A new object of this node; its handle. Takes the lock.
uint64_t object_new(uint64_t kind, uint64_t value);

/// Do an operation. `own` is granted or queued from here on. But if `own` may not be queued: false if it would be, and
/// nothing has happened.
bool object_step(uint64_t handle, ObjectWaiter *own, const void *data, size_t bytes, bool may_queue,
                 WaiterQueue &granted);

/// The holder of a mutex is gone, for which `code` stands. Nobody gets it any more: what it guards may be half done.
void mutex_orphan(GlobalObject &mutex, int code, WaiterQueue &granted);
/// A node has died: those who waited there wait no more. Of a round nobody knows who was still to come: it begins anew.
void object_without(GlobalObject &object, int node, WaiterQueue &granted);

/// One waiter less that was granted it.
void value_drop(SharedValue *value);

} // namespace skein

#endif
