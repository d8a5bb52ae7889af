// What compiled code tells and asks about addresses.
//
// Some leave the sight of the maps: given to the C library, made into numbers, stored in heap blocks.
//
// C library functions that keep an address after they returned (setvbuf, putenv, …). The compiler tells us
// before such a call; if the address lies in the caller's own stack, the library would go on using the old place after
// a move. So the thread is pinned from here on: nobody can tell when the library lets go.
//
// Rejected: own versions of these functions, as of strtok (their state is shared with code that is not ours);
// relocating glibc's private variables (their places are not part of its interface).
#include "abi/entry_points.h"
#include "migrate/outside.h"
#include "private/extents.h"
#include "thread/thread.h"

using namespace skein;

extern "C" void __skein_library_keeps(const void *kept, const char *function) {
  Thread *self = thread_current();
  if (self != nullptr && self->pinned_by == nullptr && self->stack.contains(kept))
    self->pinned_by = function;
}

// Of pages of the stack or of the private heap that the program protects or unmaps, nobody here keeps a record. The
// thread stays from now on. Of the process heap, relocation stress has to know (outside.h).
extern "C" void __skein_memory_changed(const void *begin, const char *function) {
  Thread *self = thread_current();
  outside_changed((uintptr_t)begin);
  if (self == nullptr || (!self->stack.contains(begin) && private_owner(*self, (uintptr_t)begin) != PrivateOwner::own))
    return;
  if (Private *owned = private_record(*self))
    owned->memory_changed = function;
}

// A word of the thread's private memory moves along; that it holds an address is remembered, in case its block's type
// does not tell.
static bool remember(Thread &self, const void *address, const void *place) {
  if (private_owner(self, (uintptr_t)place) != PrivateOwner::own)
    return false;
  auto live = [](uintptr_t at, void *thread) { return private_owner(*(Thread *)thread, at) == PrivateOwner::own; };
  return known_add(self.owned->known, (uintptr_t)place, (uintptr_t)address, live, &self);
}

extern "C" void __skein_address_escapes(const void *address, const void *place, const char *how) {
  Thread *self = thread_current();
  if (self == nullptr || !self->stack.contains(address) || self->stack.contains(place))
    return;
  if (place == nullptr)
    self->numbered = how;
  else if (self->escaped == nullptr && !remember(*self, address, place))
    self->escaped = how;
}

extern "C" void __skein_address_stored(const void *address, const void *place) {
  Thread *self = thread_current();
  if (self != nullptr && self->stack.contains(address))
    remember(*self, address, place);
}

extern "C" int __skein_moves_along(const void *address) {
  const Thread *self = thread_current();
  return self != nullptr && (self->stack.contains(address) ||
                             private_owner(*self, reinterpret_cast<uintptr_t>(address)) == PrivateOwner::own);
}

extern "C" unsigned __skein_moves() {
  const Thread *self = thread_current();
  return self != nullptr ? self->moves : 0;
}
