/* Synchronisation of the threads of one node: mutexes, semaphores, reader/writer locks, conditions, barriers, once,
 * futures, sleep.
 *
 * An object belongs to the node where it lies: a global variable is another object on each node, and a thread that goes
 * on elsewhere meets the one there. For semaphores that work over nodes see <skein/shared.h>. All objects are small,
 * allocate nothing, and are ready to use when they are zero or set to their initialiser. They must not be copied.
 *
 * What holds for all:
 *   - A thread that is blocked stays on its node until it is woken. A thread that *holds* a mutex, spin lock or
 *     reader/writer lock, or runs a once, stays, too (skein_push and its variants return SKEIN_EPINNED with the lock
 *     and where it was taken), since on the other node the lock of that name is another lock.
 *   - Threads that wait are served first come, first served, and are handed what they waited for: none starves.
 *   - Times are relative, in nanoseconds; SKEIN_ETIME when they are over. A thread wakes no earlier, and mostly less
 *     than 0.1 ms later while a worker is idle; while all workers compute, at their next switch of threads.
 *   - "Blocks" means: a migration point, and a point where skein_cancel takes effect. Other calls are neither.
 *   - The calls are for Skein threads only: SKEIN_ETHREAD, or the end of the program, on a kernel thread that runs
 *     none, and in plain handlers of messages. But signals of semaphores, and skein_future_set, may be made anywhere:
 *     there a thread of the runtime makes them a moment later (0, or SKEIN_EMEMORY).
 *   - Misuse (SKEIN_ELOCK) is returned with an error text, and also reported on standard error, since few programs
 *     look at the result of an unlock. The quick ways of lock, unlock, wait and signal leave skein_error_text() as it
 *     is.
 *   - An object on the stack of a thread moves with it, as long as no other thread knows of it. In the private heap
 *     and in private variables it is its thread's own: no other thread should use it, and in a run of several nodes
 *     (SKEIN_EPOINTER) none can wait for it. A skein_shared pointer does not convert to a plain one, so global memory
 *     holds no such object.
 *
 * Sources: TR-97-054, sections 3 and 4.2 (spinning and blocking locks, semaphores, reader/writer locks, conditions);
 * Ariadne (signal n, signal all, count). */
#ifndef SKEIN_SYNC_H
#define SKEIN_SYNC_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- mutex: 24 bytes. Blocks who waits; handed over in order. ----------------------------------------------------- */

typedef struct {
  void *waiters_;
  uint64_t word_;
  const void *place_;
} skein_mutex_t;
#define SKEIN_MUTEX_INITIALIZER {0, 0, 0}

SKEIN_NOMIGRATE void skein_mutex_init(skein_mutex_t *mutex);
/* Blocks while another thread holds it. SKEIN_ELOCK: the caller holds it already. SKEIN_EDEAD: its holder has ended
 * without unlocking it. */
int skein_mutex_lock(skein_mutex_t *mutex);
int skein_mutex_timedlock_ns(skein_mutex_t *mutex, uint64_t most_ns);
/* SKEIN_EBUSY if any thread holds it, the caller included. */
SKEIN_NOMIGRATE int skein_mutex_trylock(skein_mutex_t *mutex);
/* SKEIN_ELOCK: the caller does not hold it. */
SKEIN_NOMIGRATE int skein_mutex_unlock(skein_mutex_t *mutex);
/* SKEIN_EBUSY if it is held or waited for: then nothing happens. Otherwise it is as if just initialised. The same holds
 * for all destroy functions. */
SKEIN_NOMIGRATE int skein_mutex_destroy(skein_mutex_t *mutex);

/* --- spin lock: 8 bytes. Spins, and yields in between; for a few instructions without a call. Not fair. ----------- */

typedef struct {
  uint64_t word_;
} skein_spin_t;
#define SKEIN_SPIN_INITIALIZER {0}

/* Blocks (yields) while another thread holds it. SKEIN_ELOCK: the caller holds it already. */
static inline int skein_spin_lock(skein_spin_t *spin);
/* SKEIN_EBUSY if any thread holds it. */
SKEIN_NOMIGRATE int skein_spin_trylock(skein_spin_t *spin);
SKEIN_NOMIGRATE int skein_spin_unlock(skein_spin_t *spin);

/* --- semaphore of this node: 16 bytes ----------------------------------------------------------------------------- */

typedef struct {
  void *waiters_;
  uint64_t word_;
} skein_sem_t;
#define SKEIN_SEM_INITIALIZER(count) {0, (uint64_t)(count) << 1}

SKEIN_NOMIGRATE void skein_sem_init(skein_sem_t *sem, uint64_t count);
/* Takes one of the count; blocks while it is 0. */
int skein_sem_wait(skein_sem_t *sem);
int skein_sem_timedwait_ns(skein_sem_t *sem, uint64_t most_ns);
/* SKEIN_EBUSY if the count is 0. */
SKEIN_NOMIGRATE int skein_sem_trywait(skein_sem_t *sem);
/* Gives one to the first thread that waits, or adds it to the count. Does not block. */
SKEIN_NOMIGRATE int skein_sem_signal(skein_sem_t *sem);
/* Signals n times. */
SKEIN_NOMIGRATE int skein_sem_signal_n(skein_sem_t *sem, uint64_t n);
/* Signals all threads that wait now; the count stays. */
SKEIN_NOMIGRATE int skein_sem_signal_all(skein_sem_t *sem);
/* The count, or if threads wait, minus their number. */
SKEIN_NOMIGRATE int64_t skein_sem_count(skein_sem_t *sem);
SKEIN_NOMIGRATE int skein_sem_destroy(skein_sem_t *sem);

/* --- reader/writer lock: 32 bytes --------------------------------------------------------------------------------- */

/* First come, first served; readers that follow each other go in together. So a reader that comes after a waiting
 * writer waits for it, and neither kind starves. A thread that reads may read again at once. */
typedef struct {
  void *waiters_;
  uint64_t word_;
  uint64_t writer_;
  const void *place_;
} skein_rwlock_t;
#define SKEIN_RWLOCK_INITIALIZER {0, 0, 0, 0}

SKEIN_NOMIGRATE void skein_rwlock_init(skein_rwlock_t *lock);
/* Both block. SKEIN_ELOCK: the caller holds the lock in a way that would make it wait for itself. */
int skein_rwlock_read(skein_rwlock_t *lock);
int skein_rwlock_timedread_ns(skein_rwlock_t *lock, uint64_t most_ns);
int skein_rwlock_write(skein_rwlock_t *lock);
int skein_rwlock_timedwrite_ns(skein_rwlock_t *lock, uint64_t most_ns);
/* SKEIN_EBUSY if they would block. */
SKEIN_NOMIGRATE int skein_rwlock_tryread(skein_rwlock_t *lock);
SKEIN_NOMIGRATE int skein_rwlock_trywrite(skein_rwlock_t *lock);
/* Gives back whichever kind the caller holds. */
SKEIN_NOMIGRATE int skein_rwlock_unlock(skein_rwlock_t *lock);
SKEIN_NOMIGRATE int skein_rwlock_destroy(skein_rwlock_t *lock);

/* --- condition: 8 bytes ------------------------------------------------------------------------------------------- */

typedef struct {
  void *waiters_;
} skein_condition_t;
#define SKEIN_CONDITION_INITIALIZER {0}

SKEIN_NOMIGRATE void skein_condition_init(skein_condition_t *condition);
/* Unlocks the mutex, which the caller holds, waits for a signal, and locks it again. For signals by a holder of the
 * mutex, to unlock and to wait are one step. There are no spurious wake-ups, but others may come first: look again. */
int skein_condition_wait(skein_condition_t *condition, skein_mutex_t *mutex);
/* The mutex is locked after SKEIN_ETIME, too. */
int skein_condition_timedwait_ns(skein_condition_t *condition, skein_mutex_t *mutex, uint64_t most_ns);
/* Wakes the first thread that waits, or all, with the mutex locked or not. Does not block. */
SKEIN_NOMIGRATE int skein_condition_signal(skein_condition_t *condition);
SKEIN_NOMIGRATE int skein_condition_broadcast(skein_condition_t *condition);
SKEIN_NOMIGRATE int skein_condition_destroy(skein_condition_t *condition);

/* --- barrier: 16 bytes. May be used again at once. ---------------------------------------------------------------- */

typedef struct {
  void *waiters_;
  uint32_t needed_;
  uint32_t arrived_;
} skein_barrier_t;
#define SKEIN_BARRIER_INITIALIZER(threads) {0, (threads), 0}
#define SKEIN_BARRIER_LAST (-1)

SKEIN_NOMIGRATE void skein_barrier_init(skein_barrier_t *barrier, uint32_t threads);
/* Blocks until that many threads have come. SKEIN_BARRIER_LAST for the last of them, 0 for the others. */
int skein_barrier_wait(skein_barrier_t *barrier);
SKEIN_NOMIGRATE int skein_barrier_destroy(skein_barrier_t *barrier);

/* --- once: 16 bytes ----------------------------------------------------------------------------------------------- */

typedef struct {
  void *waiters_;
  uint64_t word_;
} skein_once_t;
#define SKEIN_ONCE_INITIALIZER {0, 0}

/* The first thread that comes calls function(), and others block until it has returned. In C++, if it throws, the next
 * thread tries. SKEIN_ELOCK: called by the function itself. */
static inline int skein_once(skein_once_t *once, void (*function)(void));

/* --- future: 24 bytes. Set once, to a number or a pointer; any number of threads wait for it. --------------------- */

typedef struct {
  void *waiters_;
  void *value_;
  uint64_t word_;
} skein_future_t;
#define SKEIN_FUTURE_INITIALIZER {0, 0, 0}

SKEIN_NOMIGRATE void skein_future_init(skein_future_t *future);
/* Does not block. SKEIN_ELOCK: it is set already. */
SKEIN_NOMIGRATE int skein_future_set(skein_future_t *future, uint64_t value);
SKEIN_NOMIGRATE int skein_future_set_pointer(skein_future_t *future, void *value);
/* Blocks until it is set. `value` may be null. */
int skein_future_get(skein_future_t *future, uint64_t *value);
int skein_future_get_pointer(skein_future_t *future, void **value);
/* Like these, but with SKEIN_ETIME. With 0 they do not wait. */
int skein_future_timedget_ns(skein_future_t *future, uint64_t *value, uint64_t most_ns);
int skein_future_timedget_pointer_ns(skein_future_t *future, void **value, uint64_t most_ns);
SKEIN_NOMIGRATE int skein_future_destroy(skein_future_t *future);

/* --- time --------------------------------------------------------------------------------------------------------- */

/* Blocks for that long, at least. Other threads run meanwhile; 0 is skein_yield(). */
int skein_sleep_ns(uint64_t nanoseconds);

/* --- what the inline functions need ------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE int skein_spin_wait_(skein_spin_t *spin);
int skein_once_begin_(skein_once_t *once); /* 0: done; -1: the caller is to call the function; SKEIN_ELOCK */
SKEIN_NOMIGRATE void skein_once_end_(skein_once_t *once);
SKEIN_NOMIGRATE void skein_once_abandon_(skein_once_t *once);

static inline int skein_spin_lock(skein_spin_t *spin) {
  int code;
  while ((code = skein_spin_trylock(spin)) == SKEIN_EBUSY)
    if ((code = skein_spin_wait_(spin)) != SKEIN_OK)
      break;
    else
      skein_yield();
  return code;
}

#ifdef __cplusplus
}
extern "C++" {
struct skein_once_guard_ { /* calls the function it holds unless that has returned */
  skein_once_t *once;
  ~skein_once_guard_() {
    if (once)
      skein_once_abandon_(once);
  }
};
}
extern "C" {
#endif

static inline int skein_once(skein_once_t *once, void (*function)(void)) {
  int code = skein_once_begin_(once);
  if (code != -1)
    return code;
#ifdef __cplusplus
  skein_once_guard_ guard = {once};
  function();
  guard.once = nullptr;
#else
  function();
#endif
  skein_once_end_(once);
  return SKEIN_OK;
}

#ifdef __cplusplus
}
#endif
#endif
