// The C library's functions that take and give back locks, for the program and its libraries; sync/c_locks.h says what
// they add. Each ends in the next definition of its name: libc's, or that of a library which is preloaded.
//
// An object of its own, with weak symbols, linked last: a function of one of these names that the program brings along
// is the program's. The driver leaves it out of static programs, which never leave their process; a thread sanitizer's
// runtime has these functions itself.
#include "sync/c_locks.h"
#include "sched/worker.h"

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/single_threaded.h>
#include <threads.h>
#include <unistd.h>

#ifndef SKEIN_TSAN

extern "C" {
void skein_c_yield();
extern const char __skein_foreign_return[] __attribute__((visibility("hidden")));
}

using namespace skein;

namespace {

#define NEXT(function)                                                                                                 \
  ([] {                                                                                                                \
    static decltype(&::function) next;                                                                                 \
    if (__builtin_expect(!next, 0))                                                                                    \
      next = reinterpret_cast<decltype(&::function)>(dlsym(RTLD_NEXT, #function));                                     \
    return next;                                                                                                       \
  }())

#define DEFINITION extern "C" __attribute__((weak, visibility("default")))
/// Where the program called the function in which this is written.
#define PLACE caller(__builtin_frame_address(0))

/// A program with growable stacks calls us by way of __skein_foreign_call, which leaves on the deep stack where the
/// small one goes on: its frame pointer, above which is the return address.
inline const void *caller(const void *frame) {
  auto *words = static_cast<const uintptr_t *>(frame);
  const uintptr_t place = words[1];
  if (__builtin_expect(place != reinterpret_cast<uintptr_t>(__skein_foreign_return), 1))
    return reinterpret_cast<const void *>(place);
  return reinterpret_cast<const void *const *>(words[2])[1];
}

/// Locks that this kernel thread has taken without a Skein thread. One that unlocks more took them from somebody.
__thread unsigned taken_outside;

inline void hold_begun(Thread *self, const void *object, const void *place, HoldKind kind) {
  if (self)
    hold_add(self, const_cast<void *>(object), place, kind);
  else
    taken_outside++;
}

/// Before the lock is given back, so that nobody else's hold of it can be meant.
inline void hold_over(Thread *self, const void *object) {
  if (__builtin_expect(self && hold_remove(self, object), 1))
    return;
  if (!self && taken_outside) {
    taken_outside--;
    return;
  }
  hold_clear_anywhere(object);
}

/// In clock_ns(); a time that is over is now.
uint64_t deadline_of(clockid_t clock, const timespec *until) {
  timespec now;
  clock_gettime(clock, &now);
  const int64_t seconds = until->tv_sec - now.tv_sec, rest = until->tv_nsec - now.tv_nsec;
  if (seconds > INT64_MAX / 1000000000 - 2)
    return forever;
  const int64_t ns = seconds * 1000000000 + rest;
  return deadline_in(seconds < 0 || ns < 0 ? 0 : static_cast<uint64_t>(ns));
}
bool valid(const timespec *until) { return until->tv_nsec >= 0 && until->tv_nsec < 1000000000; }

/// What a call is to wait for a lock.
struct Wish {
  const CWaitKind &kind;
  clockid_t clock = 0;
  const timespec *until = nullptr; // null: for ever
  const void *place;
  bool unseen = false; // it may be given back unseen
};

/// Takes a lock that may be taken, for a Skein thread: by `attempt`, which answers EBUSY if it is. `in_kernel` is
/// libc's call, which lets the worker wait.
template <class Kernel>
int acquire(Thread *self, void *object, const Wish &wish, int (*attempt)(CWait *), Kernel &&in_kernel) {
  CWait wait{object, static_cast<const CWaitKind *>(&wish.kind), attempt, self, nullptr, true, wish.unseen, forever,
             EBUSY};
  for (unsigned spins = workers_many() ? 50 : 1; spins && wait.result == EBUSY; spins--) {
    wait.result = attempt(&wait);
    __builtin_ia32_pause();
  }
  if (wait.result != EBUSY)
    return wait.result;
  if (wish.until && !valid(wish.until))
    return EINVAL;
  if (!wish.until)
    c_lock_own(self, object, wish.kind, wish.place);
  if (!c_lock_may_block(wish.place, false)) {
    c_lock_stands(self, object, wish.kind, wish.place);
    return in_kernel();
  }
  if (wish.until)
    wait.deadline_ns = deadline_of(wish.clock, wish.until);
  return c_wait(self, wait);
}

// --- mutexes ---------------------------------------------------------------------------------------------------------

inline bool took(int result) { return result == 0 || result == EOWNERDEAD; }

/// Of a mutex that libc knows by its kernel thread.
inline bool by_kernel_thread(const pthread_mutex_t *mutex) {
  const int kind = mutex->__data.__kind & 127;
  return kind != PTHREAD_MUTEX_TIMED_NP && kind != PTHREAD_MUTEX_ADAPTIVE_NP;
}

/// Nobody holds it, at this moment.
inline bool looks_free(const pthread_mutex_t *mutex) {
  return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0;
}

/// libc answers its holder at once who asks for it again.
bool counts(const pthread_mutex_t *mutex) {
  const int kind = mutex->__data.__kind & 3;
  return kind == PTHREAD_MUTEX_RECURSIVE_NP || kind == PTHREAD_MUTEX_ERRORCHECK_NP;
}

/// libc would take this worker's holder for the caller.
bool of_this_worker(const pthread_mutex_t *mutex) {
  const int owner = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
  return owner != 0 && owner == gettid();
}

int attempt_mutex(CWait *wait) {
  auto *mutex = static_cast<pthread_mutex_t *>(wait->object);
  if (by_kernel_thread(mutex) && of_this_worker(mutex))
    return EBUSY;
  return NEXT(pthread_mutex_trylock)(mutex);
}

inline int mutex_got(Thread *self, pthread_mutex_t *mutex, const void *place, int result) {
  if (took(result)) {
    hold_begun(self, mutex, place, HoldKind::c_mutex);
    if (self && by_kernel_thread(mutex))
      c_lock_bind(self);
  }
  return result;
}

inline bool took_last(const Thread *self, const void *object) {
  return self->hold_named && self->holds[self->hold_named - 1].object == object;
}

bool mutex_mine(const Thread *self, const pthread_mutex_t *mutex) {
  return by_kernel_thread(mutex) && hold_find(self, mutex, HoldKind::c_mutex);
}

/// `in_kernel` also answers who asks once more for what libc knows by the kernel thread.
template <class Kernel> int mutex_lock(Thread *self, pthread_mutex_t *mutex, Wish wish, Kernel &&in_kernel) {
  constexpr int among_processes = 128;
  wish.unseen = mutex->__data.__kind & among_processes;
  if (self && !wish.until && !counts(mutex) && mutex_mine(self, mutex))
    c_lock_own(self, mutex, wish.kind, wish.place);
  return mutex_got(self, mutex, wish.place,
                   !self || mutex_mine(self, mutex) ? in_kernel()
                                                    : acquire(self, mutex, wish, attempt_mutex, in_kernel));
}

constexpr CWaitKind mutex_kind = c_wait_kind("pthread_mutex_lock", "pthread_mutex_t"),
                    timed_mutex_kind = c_wait_kind("pthread_mutex_timedlock", "pthread_mutex_t"),
                    again_kind = c_wait_kind("pthread_cond_wait", "pthread_mutex_t"),
                    condition_kind = c_wait_kind("pthread_cond_wait", "pthread_cond_t"),
                    timed_condition_kind = c_wait_kind("pthread_cond_timedwait", "pthread_cond_t"),
                    read_kind = c_wait_kind("pthread_rwlock_rdlock", "pthread_rwlock_t"),
                    write_kind = c_wait_kind("pthread_rwlock_wrlock", "pthread_rwlock_t"),
                    file_kind = c_wait_kind("flockfile", "lock of the FILE"),
                    once_kind = c_wait_kind("pthread_once", "pthread_once_t");

} // namespace

DEFINITION int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  Thread *self = c_caller();
  const void *place = PLACE;
  if (__builtin_expect(self && looks_free(mutex), 1)) {
    // While there is one kernel thread nobody can come in between, and libc's own way needs no locked instruction.
    const int result = __libc_single_threaded ? NEXT(pthread_mutex_lock)(mutex) : NEXT(pthread_mutex_trylock)(mutex);
    if (__builtin_expect(result == 0, 1))
      return mutex_got(self, mutex, place, 0);
    if (result != EBUSY)
      return mutex_got(self, mutex, place, result);
  }
  return mutex_lock(self, mutex, {.kind = mutex_kind, .place = place}, [&] { return NEXT(pthread_mutex_lock)(mutex); });
}

DEFINITION int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept {
  Thread *self = c_caller();
  if (self && !mutex_mine(self, mutex) && by_kernel_thread(mutex) && of_this_worker(mutex))
    return EBUSY;
  return mutex_got(self, mutex, PLACE, NEXT(pthread_mutex_trylock)(mutex));
}

DEFINITION int pthread_mutex_timedlock(pthread_mutex_t *mutex, const timespec *until) noexcept {
  return mutex_lock(c_caller(), mutex, {timed_mutex_kind, CLOCK_REALTIME, until, PLACE},
                    [&] { return NEXT(pthread_mutex_timedlock)(mutex, until); });
}

DEFINITION int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const timespec *until) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_mutex_clocklock)(mutex, clock, until); // refused
  return mutex_lock(c_caller(), mutex, {timed_mutex_kind, clock, until, PLACE},
                    [&] { return NEXT(pthread_mutex_clocklock)(mutex, clock, until); });
}

DEFINITION int pthread_mutex_unlock(pthread_mutex_t *mutex) noexcept {
  Thread *self = c_caller();
  const bool bound = by_kernel_thread(mutex);
  if (__builtin_expect(!bound, 1))
    hold_over(self, mutex);
  else if (self && !took_last(self, mutex) && !hold_find(self, mutex, HoldKind::c_mutex) && c_lock_held(mutex, self))
    return EPERM; // libc would take it from another thread of this worker
  const int result = NEXT(pthread_mutex_unlock)(mutex);
  if (bound && result == 0) {
    hold_over(self, mutex);
    if (self)
      c_lock_unbind(self);
  }
  c_wake(mutex, false);
  return result;
}

// --- conditions ------------------------------------------------------------------------------------------------------

namespace {

struct Signalled {
  pthread_mutex_t *mutex;
  Thread *self;
  int unlocked;
};

/// Nobody can signal before the thread is in the ring, since that is done under the same lock.
int attempt_condition(CWait *wait) {
  auto *signalled = static_cast<Signalled *>(wait->context);
  signalled->unlocked = NEXT(pthread_mutex_unlock)(signalled->mutex);
  if (signalled->unlocked != 0)
    return signalled->unlocked;
  hold_over(signalled->self, signalled->mutex);
  if (by_kernel_thread(signalled->mutex))
    c_lock_unbind(signalled->self);
  return EBUSY;
}

template <class Kernel>
int condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const Wish &wish, Kernel &&in_kernel) {
  Thread *self = c_caller();
  const bool shared = condition->__data.__wrefs & 1; // with other processes
  if (!self || shared || (wish.until && !valid(wish.until)) || !c_lock_may_block(wish.place, true)) {
    // libc gives the mutex back inside of its call, where nobody sees it: those who wait now are to look for
    // themselves.
    if (self)
      c_unseen_from_now_on();
    c_wake(mutex, true);
    return in_kernel();
  }
  Signalled signalled{mutex, self, 0};
  CWait wait{condition,
             static_cast<const CWaitKind *>(&wish.kind),
             attempt_condition,
             &signalled,
             mutex,
             false,
             false,
             wish.until ? deadline_of(wish.clock, wish.until) : forever,
             EBUSY};
  const int result = c_wait(self, wait);
  if (signalled.unlocked != 0)
    return signalled.unlocked;
  const int locked = mutex_lock(self, mutex, {.kind = again_kind, .place = wish.place},
                                [&] { return NEXT(pthread_mutex_lock)(mutex); });
  return locked ? locked : result;
}

} // namespace

DEFINITION int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  return condition_wait(condition, mutex, {.kind = condition_kind, .place = PLACE},
                        [&] { return NEXT(pthread_cond_wait)(condition, mutex); });
}

DEFINITION int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until) {
  const clockid_t clock = condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return condition_wait(condition, mutex, {timed_condition_kind, clock, until, PLACE},
                        [&] { return NEXT(pthread_cond_timedwait)(condition, mutex, until); });
}

DEFINITION int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                      const timespec *until) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_cond_clockwait)(condition, mutex, clock, until); // refused
  return condition_wait(condition, mutex, {timed_condition_kind, clock, until, PLACE},
                        [&] { return NEXT(pthread_cond_clockwait)(condition, mutex, clock, until); });
}

DEFINITION int pthread_cond_signal(pthread_cond_t *condition) noexcept {
  c_wake(condition, false);
  return NEXT(pthread_cond_signal)(condition);
}

DEFINITION int pthread_cond_broadcast(pthread_cond_t *condition) noexcept {
  c_wake(condition, true);
  return NEXT(pthread_cond_broadcast)(condition);
}

// --- reader/writer locks ---------------------------------------------------------------------------------------------

namespace {

int attempt_read(CWait *wait) { return NEXT(pthread_rwlock_tryrdlock)(static_cast<pthread_rwlock_t *>(wait->object)); }
int attempt_write(CWait *wait) { return NEXT(pthread_rwlock_trywrlock)(static_cast<pthread_rwlock_t *>(wait->object)); }

int rwlock_got(Thread *self, pthread_rwlock_t *lock, const void *place, HoldKind kind, int result) {
  if (result == 0) {
    hold_begun(self, lock, place, kind);
    if (self && kind == HoldKind::c_write)
      c_lock_bind(self);
  }
  return result;
}

template <class Kernel> int rwlock_read(pthread_rwlock_t *lock, Wish wish, Kernel &&in_kernel) {
  Thread *self = c_caller();
  if (__builtin_expect(self && NEXT(pthread_rwlock_tryrdlock)(lock) == 0, 1))
    return rwlock_got(self, lock, wish.place, HoldKind::c_read, 0);
  wish.unseen = lock->__data.__shared != 0;
  return rwlock_got(self, lock, wish.place, HoldKind::c_read,
                    self ? acquire(self, lock, wish, attempt_read, in_kernel) : in_kernel());
}

template <class Kernel> int rwlock_write(pthread_rwlock_t *lock, Wish wish, Kernel &&in_kernel) {
  Thread *self = c_caller();
  if (__builtin_expect(self && NEXT(pthread_rwlock_trywrlock)(lock) == 0, 1))
    return rwlock_got(self, lock, wish.place, HoldKind::c_write, 0);
  wish.unseen = lock->__data.__shared != 0;
  return rwlock_got(self, lock, wish.place, HoldKind::c_write,
                    self ? acquire(self, lock, wish, attempt_write, in_kernel) : in_kernel());
}

} // namespace

DEFINITION int pthread_rwlock_rdlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_read(lock, {.kind = read_kind, .place = PLACE}, [&] { return NEXT(pthread_rwlock_rdlock)(lock); });
}
DEFINITION int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_got(c_caller(), lock, PLACE, HoldKind::c_read, NEXT(pthread_rwlock_tryrdlock)(lock));
}
DEFINITION int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const timespec *until) noexcept {
  return rwlock_read(lock, {read_kind, CLOCK_REALTIME, until, PLACE},
                     [&] { return NEXT(pthread_rwlock_timedrdlock)(lock, until); });
}
DEFINITION int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *until) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_rwlock_clockrdlock)(lock, clock, until); // refused
  return rwlock_read(lock, {read_kind, clock, until, PLACE},
                     [&] { return NEXT(pthread_rwlock_clockrdlock)(lock, clock, until); });
}
DEFINITION int pthread_rwlock_wrlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_write(lock, {.kind = write_kind, .place = PLACE}, [&] { return NEXT(pthread_rwlock_wrlock)(lock); });
}
DEFINITION int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) noexcept {
  return rwlock_got(c_caller(), lock, PLACE, HoldKind::c_write, NEXT(pthread_rwlock_trywrlock)(lock));
}
DEFINITION int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const timespec *until) noexcept {
  return rwlock_write(lock, {write_kind, CLOCK_REALTIME, until, PLACE},
                      [&] { return NEXT(pthread_rwlock_timedwrlock)(lock, until); });
}
DEFINITION int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const timespec *until) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(pthread_rwlock_clockwrlock)(lock, clock, until); // refused
  return rwlock_write(lock, {write_kind, clock, until, PLACE},
                      [&] { return NEXT(pthread_rwlock_clockwrlock)(lock, clock, until); });
}
DEFINITION int pthread_rwlock_unlock(pthread_rwlock_t *lock) noexcept {
  Thread *self = c_caller();
  // libc gives back what this kernel thread has: its place as the writer, or else one as a reader.
  const bool writes = self && hold_find(self, lock, HoldKind::c_write);
  hold_over(self, lock);
  const int result = NEXT(pthread_rwlock_unlock)(lock);
  if (writes)
    c_lock_unbind(self);
  c_wake(lock, true); // several may read
  return result;
}

// --- spin locks ------------------------------------------------------------------------------------------------------
// Giving one back is an ordinary store, which would have to become a locked instruction to be seen by waiters. So these
// give way again and again.

DEFINITION int pthread_spin_lock(pthread_spinlock_t *lock) noexcept {
  Thread *self = c_caller();
  const void *place = PLACE;
  unsigned spins = 0;
  int result;
  if (self) {
    while ((result = NEXT(pthread_spin_trylock)(lock)) == EBUSY)
      if (++spins % 100)
        __builtin_ia32_pause();
      else
        skein_c_yield();
  } else {
    result = NEXT(pthread_spin_lock)(lock);
  }
  if (result == 0)
    hold_begun(self, const_cast<int *>(lock), place, HoldKind::c_spin);
  return result;
}
DEFINITION int pthread_spin_trylock(pthread_spinlock_t *lock) noexcept {
  const int result = NEXT(pthread_spin_trylock)(lock);
  if (result == 0)
    hold_begun(c_caller(), const_cast<int *>(lock), PLACE, HoldKind::c_spin);
  return result;
}
DEFINITION int pthread_spin_unlock(pthread_spinlock_t *lock) noexcept {
  hold_over(c_caller(), const_cast<int *>(lock));
  return NEXT(pthread_spin_unlock)(lock);
}

// --- semaphores ------------------------------------------------------------------------------------------------------
// sem_post is called in signal handlers, where nobody can be woken. So who waits looks again when others have had their
// turn, and while there are none lets the worker wait in the kernel, for a moment at a time.

namespace {

/// glibc uses the first half of a sem_t. That it began with places to take is noted in the last word.
constexpr uint64_t began_with_places = 0x736b65696e706c63;
uint64_t &note_of(sem_t *semaphore) { return reinterpret_cast<uint64_t *>(semaphore)[3]; }
static_assert(sizeof(sem_t) == 32);

void semaphore_got(Thread *self, sem_t *semaphore, const void *place) {
  if (self && note_of(semaphore) == began_with_places)
    hold_add(self, semaphore, place, HoldKind::c_semaphore);
}

/// As sem_wait. `until_ns` is in clock_ns().
int semaphore_wait(Thread *self, sem_t *semaphore, uint64_t until_ns) {
  constexpr uint64_t least_ns = 50000, most_ns = 1000000;
  int result = -1;
  c_lock_bind(self);
  for (uint64_t slice_ns = least_ns;; slice_ns = slice_ns < most_ns ? 2 * slice_ns : most_ns) {
    skein_c_yield();
    result = NEXT(sem_trywait)(semaphore);
    if (result == 0 || errno != EAGAIN)
      break;
    if (threads_ready() || static_cast<const Worker *>(skein_processor)->bound_count.load(std::memory_order_relaxed))
      continue;
    const uint64_t now_ns = clock_ns();
    if (now_ns >= until_ns) {
      errno = ETIMEDOUT;
      break;
    }
    const uint64_t ns = now_ns + (until_ns - now_ns < slice_ns ? until_ns - now_ns : slice_ns);
    const timespec until{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
    result = NEXT(sem_clockwait)(semaphore, CLOCK_MONOTONIC, &until);
    if (result == 0 || errno != ETIMEDOUT)
      break;
  }
  c_lock_unbind(self);
  return result;
}

template <class Kernel>
int semaphore_take(sem_t *semaphore, clockid_t clock, const timespec *until, const void *place, Kernel &&in_kernel) {
  Thread *self = c_caller();
  const int saved_errno = errno;
  int result = -1;
  if (self)
    result = NEXT(sem_trywait)(semaphore);
  if (result != 0) {
    errno = saved_errno;
    result = !self || (until && !valid(until)) || !c_lock_may_block(place, false)
                 ? in_kernel()
                 : semaphore_wait(self, semaphore, until ? deadline_of(clock, until) : forever);
  }
  if (result == 0) {
    errno = saved_errno;
    semaphore_got(self, semaphore, place);
  }
  return result;
}

void semaphore_begins(sem_t *semaphore, bool with_places) { note_of(semaphore) = with_places ? began_with_places : 0; }

} // namespace

DEFINITION int sem_init(sem_t *semaphore, int shared, unsigned value) noexcept {
  const int result = NEXT(sem_init)(semaphore, shared, value);
  if (result == 0)
    semaphore_begins(semaphore, value > 0);
  return result;
}
DEFINITION sem_t *sem_open(const char *name, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  const auto value = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  sem_t *semaphore = NEXT(sem_open)(name, flags, mode, value);
  int places = 0;
  if (semaphore != SEM_FAILED && sem_getvalue(semaphore, &places) == 0 && places > 0)
    semaphore_begins(semaphore, true);
  return semaphore;
}
DEFINITION int sem_wait(sem_t *semaphore) {
  return semaphore_take(semaphore, 0, nullptr, PLACE, [&] { return NEXT(sem_wait)(semaphore); });
}
DEFINITION int sem_trywait(sem_t *semaphore) noexcept {
  const int result = NEXT(sem_trywait)(semaphore);
  if (result == 0)
    semaphore_got(c_caller(), semaphore, PLACE);
  return result;
}
DEFINITION int sem_timedwait(sem_t *semaphore, const timespec *until) {
  return semaphore_take(semaphore, CLOCK_REALTIME, until, PLACE, [&] { return NEXT(sem_timedwait)(semaphore, until); });
}
DEFINITION int sem_clockwait(sem_t *semaphore, clockid_t clock, const timespec *until) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return NEXT(sem_clockwait)(semaphore, clock, until); // refused
  return semaphore_take(semaphore, clock, until, PLACE, [&] { return NEXT(sem_clockwait)(semaphore, clock, until); });
}
DEFINITION int sem_post(sem_t *semaphore) noexcept {
  if (Thread *self = c_caller())
    hold_clear(self, semaphore);
  return NEXT(sem_post)(semaphore);
}

// --- FILEs -----------------------------------------------------------------------------------------------------------
// libc's own functions lock a FILE for the time of one call, by ways that nobody sees: then the worker waits.

namespace {

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

// --- once ------------------------------------------------------------------------------------------------------------
// While the function runs, libc's frame is on the stack, and the thread stays: no hold is needed. Ours is not there, so
// that reports name the program as libc's caller; so nobody sees that it is over, and who waits looks again.

namespace {

constexpr int once_under_way = 1, once_done = 2;

int attempt_once(CWait *wait) {
  const int word = __atomic_load_n(static_cast<int *>(wait->object), __ATOMIC_ACQUIRE);
  return !(word & once_done) && (word & once_under_way) ? EBUSY : 0;
}

/// Until nobody is in it.
void pass_once(int *once, const void *place) {
  if (__atomic_load_n(once, __ATOMIC_ACQUIRE) & once_done)
    return;
  if (Thread *self = c_caller())
    acquire(self, once, {.kind = once_kind, .place = place, .unseen = true}, attempt_once, [] { return 0; });
}

} // namespace

DEFINITION int pthread_once(pthread_once_t *once, void (*function)(void)) {
  pass_once(once, PLACE);
  [[clang::musttail]] return NEXT(pthread_once)(once, function);
}

// --- C11 -------------------------------------------------------------------------------------------------------------
// libc's are these, under other names, which it calls by ways of its own.

namespace {

int c11(int result) {
  switch (result) {
  case 0:
    return thrd_success;
  case ETIMEDOUT:
    return thrd_timedout;
  case EBUSY:
    return thrd_busy;
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}
pthread_mutex_t *posix(mtx_t *mutex) { return reinterpret_cast<pthread_mutex_t *>(mutex); }
pthread_cond_t *posix(cnd_t *condition) { return reinterpret_cast<pthread_cond_t *>(condition); }

} // namespace

DEFINITION int mtx_lock(mtx_t *mutex) {
  return c11(mutex_lock(c_caller(), posix(mutex), {.kind = mutex_kind, .place = PLACE},
                        [&] { return NEXT(pthread_mutex_lock)(posix(mutex)); }));
}
DEFINITION int mtx_trylock(mtx_t *mutex) {
  Thread *self = c_caller();
  if (self && !mutex_mine(self, posix(mutex)) && by_kernel_thread(posix(mutex)) && of_this_worker(posix(mutex)))
    return thrd_busy;
  return c11(mutex_got(self, posix(mutex), PLACE, NEXT(pthread_mutex_trylock)(posix(mutex))));
}
DEFINITION int mtx_timedlock(mtx_t *mutex, const timespec *until) {
  return c11(mutex_lock(c_caller(), posix(mutex), {timed_mutex_kind, CLOCK_REALTIME, until, PLACE},
                        [&] { return NEXT(pthread_mutex_timedlock)(posix(mutex), until); }));
}
DEFINITION int mtx_unlock(mtx_t *mutex) { return c11(pthread_mutex_unlock(posix(mutex))); }
DEFINITION int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return c11(condition_wait(posix(condition), posix(mutex), {.kind = condition_kind, .place = PLACE},
                            [&] { return NEXT(pthread_cond_wait)(posix(condition), posix(mutex)); }));
}
DEFINITION int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const timespec *until) {
  return c11(condition_wait(posix(condition), posix(mutex), {timed_condition_kind, CLOCK_REALTIME, until, PLACE},
                            [&] { return NEXT(pthread_cond_timedwait)(posix(condition), posix(mutex), until); }));
}
DEFINITION int cnd_signal(cnd_t *condition) { return c11(pthread_cond_signal(posix(condition))); }
DEFINITION int cnd_broadcast(cnd_t *condition) { return c11(pthread_cond_broadcast(posix(condition))); }
DEFINITION void call_once(once_flag *once, void (*function)(void)) {
  pass_once(reinterpret_cast<pthread_once_t *>(once), PLACE);
  [[clang::musttail]] return NEXT(call_once)(once, function);
}

#endif
