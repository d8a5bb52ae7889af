// Which locks of this node a thread holds: so that it does not leave with one, and can say which.
//
// A lock is where its memory is. The other node has a lock of the same name, which nobody has taken there, and whoever
// waits for this one here would wait for ever; so a thread with a hold does not leave its node (holds_refuse). Moves
// within the process do not matter to it: holds on its own stack are relocated with it.
//
// The first `holds_named` are known by object and place; of more than that only the number is. That costs a message its
// name at worst, and needs no allocation. In the quick ways: two or three stores.
#ifndef SKEIN_SYNC_HOLDS_H
#define SKEIN_SYNC_HOLDS_H

#include "thread/thread.h"

namespace skein {

inline bool holds_any(const Thread &thread) { return thread.hold_named != 0 || thread.hold_unnamed != 0; }

inline void hold_add(Thread *thread, void *object, const void *place, HoldKind kind) {
  const uint8_t named = thread->hold_named;
  if (__builtin_expect(named < holds_named, 1)) {
    thread->holds[named] = {object, place, kind};
    thread->hold_named = static_cast<uint8_t>(named + 1);
  } else {
    thread->hold_unnamed++;
  }
}

/// Not the last one that was taken, or one that has no name here. False: the thread has no such hold.
bool hold_remove_slow(Thread *thread, const void *object);
/// The last such hold.
inline bool hold_remove(Thread *thread, const void *object) {
  const uint8_t named = thread->hold_named;
  if (__builtin_expect(named != 0 && thread->holds[named - 1].object == object, 1)) {
    thread->hold_named = static_cast<uint8_t>(named - 1);
    return true;
  }
  return hold_remove_slow(thread, object);
}

/// The last hold of that object and kind; null: none that has a name.
const Hold *hold_find(const Thread *thread, const void *object, HoldKind kind);

/// "mutex", …
const char *hold_kind_name(HoldKind kind);

/// Whether the thread holds anything of this node; then why it cannot leave, in words.
bool holds_refuse(const Thread &thread, char *to, size_t bytes);

/// Its stack has moved within this process.
void holds_relocate(Thread &thread, uintptr_t begin, uintptr_t end, intptr_t delta);

/// It ends: says on standard error what it still holds.
void holds_at_end(const Thread &thread);

} // namespace skein

#endif
