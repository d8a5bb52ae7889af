// Which locks of this node a thread holds. It must not leave with one, and must be able to say which it holds.
//
// A lock is where its memory is. On another node the lock of the same name is not taken, and threads that wait for this
// one here would wait for ever. So a thread with a hold does not leave its node (sync/hold_reports.h). Moves within the
// process do not matter: holds on the thread's own stack are relocated with it.
//
// A hold is a slot whose object is not null. The first `holds_inline` slots lie in the thread's record, of which those
// from `holds.named` on are free; more lie in blocks that the record leads to. In the quick ways: two or three stores.
//
// Only the thread itself adds holds. It removes its own; but locks of the C library may be unlocked by another thread,
// which then clears the slot (hold_clear_anywhere) and changes nothing else. So slots keep their places.
#ifndef SKEIN_THREAD_HOLDS_H
#define SKEIN_THREAD_HOLDS_H

#include "thread/thread.h"

namespace skein {

/// Whether any slot may be in use.
inline bool holds_have_names(const Thread &thread) {
  return __builtin_expect(thread.holds.named || thread.holds.more, 0);
}

/// A thread without memory for another hold counts it in holds.unnamed. Only the thread itself decrements that.
bool holds_any_slow(const Thread &thread);
inline bool holds_any(const Thread &thread) {
  return __builtin_expect(holds_have_names(thread) || thread.holds.unnamed, 0) && holds_any_slow(thread);
}

/// Both always return 0, so a quick way (sync/quick_locks.h) can end in them. If it went on after a call, it would have
/// to make a frame first of all, each time. hold_add_slow hides the 0 from the compiler, which would otherwise make a
/// call of the jump.
int hold_add_slow(Thread *thread, void *object, const void *place, HoldKind kind);
inline int hold_add(Thread *thread, void *object, const void *place, HoldKind kind) {
  const uint8_t named = thread->holds.named;
  if (__builtin_expect(named < holds_inline, 1)) {
    Hold &hold = thread->hold_slots[named];
    hold.place = place;
    hold.kind = kind;
    __atomic_store_n(&hold.object, object, __ATOMIC_RELEASE); // pairs with the acquire in hold_clear_anywhere
    thread->holds.named = static_cast<uint8_t>(named + 1);
    return 0;
  }
  return hold_add_slow(thread, object, place, kind);
}

/// Removes a hold that is not the last one that was taken. False: the thread has no such hold.
bool hold_remove_slow(Thread *thread, const void *object);
/// Removes the last such hold.
inline bool hold_remove(Thread *thread, const void *object) {
  const uint8_t named = thread->holds.named;
  if (__builtin_expect(named != 0 && !thread->holds.more && thread->hold_slots[named - 1].object == object, 1)) {
    __atomic_store_n(&thread->hold_slots[named - 1].object, static_cast<void *>(nullptr), __ATOMIC_RELAXED);
    thread->holds.named = static_cast<uint8_t>(named - 1);
    return true;
  }
  return hold_remove_slow(thread, object);
}
/// The same in a signal handler, which may have interrupted one of these functions: nothing but the slot changes.
bool hold_clear(Thread *thread, const void *object);

/// Clears such a hold of any thread of this node. Takes the locks of the thread table, one after the other.
bool hold_clear_anywhere(const void *object);

/// The last hold of that object and kind that has a name, or null.
const Hold *hold_find(const Thread *thread, const void *object, HoldKind kind);
/// The last hold of all that has a name, or null.
const Hold *hold_last(const Thread *thread);

/// Calls visit(hold) for each that has a name, oldest first within a block, until it returns true; returns whether it
/// did.
template <class ThreadType, class Visit> bool hold_each(ThreadType &thread, Visit &&visit) {
  for (auto &hold : thread.hold_slots)
    if (__atomic_load_n(&hold.object, __ATOMIC_ACQUIRE) && visit(hold))
      return true;
  for (HoldBlock *block = thread.holds.more; block; block = block->next)
    for (Hold &hold : block->holds)
      if (__atomic_load_n(&hold.object, __ATOMIC_ACQUIRE) && visit(hold))
        return true;
  return false;
}

/// The thread's record is about to be used for another life: it holds nothing, and its blocks are freed.
void holds_forget_slow(Thread &thread);
inline void holds_forget(Thread &thread) {
  if (holds_have_names(thread))
    holds_forget_slow(thread);
  thread.holds = {};
}

/// The thread's stack has moved within this process.
void holds_relocate_slow(Thread &thread, uintptr_t begin, uintptr_t end, intptr_t delta);
inline void holds_relocate(Thread &thread, uintptr_t begin, uintptr_t end, intptr_t delta) {
  if (holds_have_names(thread))
    holds_relocate_slow(thread, begin, end, delta);
}

/// For the child of a fork: no other kernel thread uses the blocks.
void holds_after_fork();

} // namespace skein

#endif
