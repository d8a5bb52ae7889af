// Guards of static variables of functions (C++). A thread that has begun to initialise one holds its guard, and so
// stays on its node until the variable is there; other threads of its worker that need it block meanwhile (c_locks.h).
//
// Programs call these by -Wl,--wrap, since a definition of libc++abi's names would hide that of a static C++ library.
#include "sync/c_locks.h"

#include <cerrno>

extern "C" {
__attribute__((weak)) int __real___cxa_guard_acquire(char *guard);
__attribute__((weak)) void __real___cxa_guard_release(char *guard) noexcept;
__attribute__((weak)) void __real___cxa_guard_abort(char *guard) noexcept;
}

namespace skein {

namespace {

constexpr CWaitKind guard_kind = c_wait_kind("__cxa_guard_acquire", "guard of the static variable");

/// The first byte says that the variable is there, the second one that it is being made (libstdc++, libc++abi).
bool under_way(const char *guard) {
  return !__atomic_load_n(&guard[0], __ATOMIC_ACQUIRE) && __atomic_load_n(&guard[1], __ATOMIC_ACQUIRE);
}

int attempt(CWait *wait) { return under_way(static_cast<char *>(wait->object)) ? EBUSY : 0; }

void over(char *guard) {
  if (Thread *self = c_caller())
    hold_remove(self, guard);
  c_wake(guard, true);
}

} // namespace

extern "C" {

int __wrap___cxa_guard_acquire(char *guard) {
  const void *place = __builtin_return_address(0);
  Thread *self = c_caller();
  if (self && under_way(guard)) {
    c_lock_own(self, guard, guard_kind, place);
    CWait wait{guard, &guard_kind, attempt, nullptr, nullptr, true, false, forever, EBUSY};
    c_wait(self, wait);
  }
  const int to_do = __real___cxa_guard_acquire(guard);
  if (to_do && self)
    hold_add(self, guard, place, HoldKind::c_guard);
  return to_do;
}

void __wrap___cxa_guard_release(char *guard) noexcept {
  __real___cxa_guard_release(guard);
  over(guard);
}

void __wrap___cxa_guard_abort(char *guard) noexcept {
  __real___cxa_guard_abort(guard);
  over(guard);
}

} // extern "C"

} // namespace skein
