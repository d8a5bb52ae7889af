// FILEs; see libc_calls.h.
//
// libc's own functions lock a FILE for the time of one call, where nobody sees it; then the worker waits.
#include "sync/interpose/libc_calls.h"

#include <cstdio>
#include <unistd.h>

#ifndef SKEIN_TSAN

using namespace skein;

namespace {

constexpr CWaitKind file_kind = c_wait_kind("flockfile", "lock of the FILE");

/// glibc's, behind FILE::_lock.
struct FileLock {
  int word, depth;
  void *owner; // the kernel thread
};

bool of_this_worker(const FILE *file) {
  auto *lock = reinterpret_cast<const FileLock *>(file->_lock);
  return lock && __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == reinterpret_cast<void *>(pthread_self());
}

int attempt_file(CWait *wait) {
  auto *file = static_cast<FILE *>(wait->object);
  return of_this_worker(file) || NEXT(ftrylockfile)(file) != 0 ? EBUSY : 0;
}

void file_got(Thread *self, FILE *file, const void *place) {
  hold_begun(self, file, place, HoldKind::c_file);
  if (self)
    c_lock_bind(self);
}

bool file_mine(const Thread *self, const FILE *file) { return hold_find(self, file, HoldKind::c_file); }

} // namespace

DEFINITION void flockfile(FILE *file) noexcept {
  Thread *self = c_caller();
  const void *place = PLACE;
  auto in_kernel = [&] { return NEXT(flockfile)(file), 0; };
  if (!self || file_mine(self, file))
    in_kernel();
  else if (of_this_worker(file) || NEXT(ftrylockfile)(file) != 0) {
    if (!of_this_worker(file) && !c_lock_held(file, self))
      in_kernel();
    else
      acquire(self, file, {.kind = file_kind, .place = place, .unseen = true}, attempt_file, in_kernel);
  }
  file_got(self, file, place);
}
DEFINITION int ftrylockfile(FILE *file) noexcept {
  Thread *self = c_caller();
  if (self && !file_mine(self, file) && of_this_worker(file))
    return EBUSY;
  const int result = NEXT(ftrylockfile)(file);
  if (result == 0)
    file_got(self, file, PLACE);
  return result;
}
DEFINITION void funlockfile(FILE *file) noexcept {
  Thread *self = c_caller();
  hold_over(self, file);
  if (self)
    c_lock_unbind(self);
  NEXT(funlockfile)(file);
  c_wake(file, false);
}

#endif
