// The named objects of this node; see node_objects.h. They are few, are named rarely, and are looked up only for
// pointers that would otherwise refuse a move.
#include "migrate/node_objects.h"

#include "base/grow.h"
#include "base/lock.h"
#include "private/regions/regions.h"
#include "sched/sched.h"
#include "thread/stack.h"

#include <atomic>
#include <new>
#include <skein/node_object.h>
#include <string.h>

namespace skein {

namespace {

SpinLock lock{Rank::leaf};
NodeObject *objects;
size_t object_count, object_capacity;
std::atomic<bool> any{false};        // so that programs without them pay a load
std::atomic<bool> of_process{false}; // one was memory of the process, and not of a thread

// Under the lock.
NodeObject *find(const char *name) {
  for (size_t i = 0; i < object_count; ++i)
    if (strncmp(objects[i].name, name, node_object_name_bytes) == 0)
      return &objects[i];
  return nullptr;
}

template <typename Wanted> bool copy_of(NodeObject &to, Wanted &&wanted) {
  if (!any.load(std::memory_order_relaxed))
    return false;
  Guard guard(lock);
  const NodeObject *found = wanted();
  if (found != nullptr)
    to = *found;
  return found != nullptr;
}

int refuse(int code, const char *format, const char *name) {
  Thread *self = thread_current();
  return self ? thread_error(self, code, format, name) : code;
}

bool is_name(const char *name) { return name != nullptr && *name != 0 && strlen(name) < node_object_name_bytes; }

} // namespace

bool node_object_containing(uintptr_t address, NodeObject &to) {
  return copy_of(to, [&] {
    for (size_t i = 0; i < object_count; ++i)
      if (objects[i].contains(address))
        return &objects[i];
    return (NodeObject *)nullptr;
  });
}

bool node_object_named(const char *name, NodeObject &to) {
  return copy_of(to, [&] { return find(name); });
}

bool node_objects_of_process() { return of_process.load(std::memory_order_relaxed); }

void node_objects_start() {
  events.forked.add([] { new (&lock) SpinLock(Rank::leaf); }); // whoever held it does not exist there
}

} // namespace skein

using namespace skein;

extern "C" {

int skein_node_object(const char *name, void *begin, size_t bytes) {
  if (!is_name(name))
    return refuse(SKEIN_EREFUSED, "skein_node_object: a name has 1 to 43 characters: '%.100s'", name ? name : "");
  NodeObject made = {(uintptr_t)begin, (uintptr_t)begin + bytes, {}};
  strcpy(made.name, name);
  const bool shared = made.begin < SKEIN_SHARED_END && made.end > SKEIN_SHARED_BASE;
  if (begin == nullptr || bytes == 0 || made.end < made.begin || shared || stack_containing(begin))
    return refuse(SKEIN_EPOINTER,
                  "skein_node_object: '%s' has to be memory of the process or on a private heap: not of "
                  "a stack, nor shared memory",
                  name);
  Guard guard(lock);
  for (size_t i = 0; i < object_count; ++i)
    if (objects[i].begin < made.end && made.begin < objects[i].end)
      return refuse(SKEIN_EBUSY, "skein_node_object: '%s' overlaps another object that has a name", name);
  if (find(name) != nullptr)
    return refuse(SKEIN_EBUSY, "skein_node_object: another object is named '%s'", name);
  if (!grow(objects, object_count, object_capacity, size_t{16}))
    return refuse(SKEIN_EMEMORY, "skein_node_object: no memory for the name '%s'", name);
  objects[object_count++] = made;
  any.store(true, std::memory_order_relaxed);
  if (!in_private_range(made.begin))
    of_process.store(true, std::memory_order_relaxed);
  return SKEIN_OK;
}

int skein_node_object_forget(const char *name) {
  Guard guard(lock);
  NodeObject *found = is_name(name) ? find(name) : nullptr;
  if (found == nullptr)
    return refuse(SKEIN_EEMPTY, "skein_node_object_forget: no object is named '%.100s' on this node", name ? name : "");
  *found = objects[--object_count];
  return SKEIN_OK;
}

void *skein_node_object_at(const char *name) {
  NodeObject found;
  return is_name(name) && node_object_named(name, found) ? (void *)found.begin : nullptr;
}
}
