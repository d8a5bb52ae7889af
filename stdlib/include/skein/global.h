/* Synchronisation over nodes: mutexes, conditions, barriers, latches, futures, reductions, broadcasts. (Semaphores:
 * <skein/shared.h>.) An object is a number that works on every node; it lives on the node that it was created on.
 *
 *     skein_global_mutex_t mutex = skein_global_mutex_create(0);
 *     skein_spawn(worker, mutex);                 // which may go anywhere
 *     skein_global_mutex_lock(mutex); ... skein_global_mutex_unlock(mutex);
 *
 * What holds for all:
 *   - A mutex belongs to the thread that locked it, wherever that goes: unlike locks of <skein/sync.h> it keeps no
 *     thread on a node.
 *   - Threads that wait are served first come, first served, and are handed what they waited for.
 *   - Every call acquires and releases, as to copies of shared memory (docs/memory-model.md).
 *   - Calls that return int return SKEIN_OK; SKEIN_ETHREAD: there is no such object, or it was freed while the thread
 *     waited; SKEIN_EDEAD: its node died; SKEIN_ELOCK: misuse. They may block and may migrate. A thread that waits
 *     can be pushed to another node meanwhile (<skein/migration.h>).
 *   - A mutex whose holder has ended belongs to no thread any more: threads that wait for it or ask for it get
 *     SKEIN_ELOCK, and the error text names the holder. If a node dies and the run goes on
 *     (SKEIN_OPTIONS=deaths=survive), threads that wait for a mutex get SKEIN_EDEAD if its holder was lost, or was born
 *     there. Threads that wait in a round (barrier, reduction, broadcast) get it, too, since nobody knows whether a
 *     party of the round was there; and so do those that come to it, until skein_global_shrink says how many parties
 *     are left.
 *
 * (Source: TR-97-038, section 5.6, global semaphores, and what programs built of them.) */
#ifndef SKEIN_GLOBAL_H
#define SKEIN_GLOBAL_H

#include <skein/shared.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t skein_global_mutex_t;
typedef uint64_t skein_global_condition_t;
typedef uint64_t skein_global_barrier_t;
typedef uint64_t skein_global_latch_t;
typedef uint64_t skein_global_future_t;
typedef uint64_t skein_reduction_t;

/* --- for the functions below ------------------------------------------------------------------------------------- */
enum {
  SKEIN_GLOBAL_WAIT, /* semaphore */
  SKEIN_GLOBAL_TRY_WAIT,
  SKEIN_GLOBAL_SIGNAL,
  SKEIN_GLOBAL_LOCK, /* mutex */
  SKEIN_GLOBAL_TRY_LOCK,
  SKEIN_GLOBAL_UNLOCK,
  SKEIN_GLOBAL_CONDITION_WAIT,
  SKEIN_GLOBAL_CONDITION_SIGNAL,
  SKEIN_GLOBAL_CONDITION_BROADCAST,
  SKEIN_GLOBAL_BARRIER_WAIT, /* rounds */
  SKEIN_GLOBAL_REDUCE,
  SKEIN_GLOBAL_SEND,
  SKEIN_GLOBAL_RECEIVE,
  SKEIN_GLOBAL_LATCH_DOWN, /* events */
  SKEIN_GLOBAL_LATCH_WAIT,
  SKEIN_GLOBAL_FUTURE_SET,
  SKEIN_GLOBAL_FUTURE_GET,
  SKEIN_GLOBAL_SHRINK, /* rounds */
  SKEIN_GLOBAL_FREE,
};
enum {
  SKEIN_GLOBAL_SEMAPHORE,
  SKEIN_GLOBAL_MUTEX,
  SKEIN_GLOBAL_CONDITION,
  SKEIN_GLOBAL_ROUND,
  SKEIN_GLOBAL_EVENT,
};
int __skein_global(uint64_t object, uint64_t operation_and_argument, void *data, size_t bytes);
uint64_t __skein_global_create(uint64_t kind, uint64_t value, int node, uint64_t key_and_parties);

/* Every object can be made on a chosen node, or by several threads together; `node` -1 is the caller's. 0, with an
 * error text, if that is not possible. May block. */

/* --- mutex -------------------------------------------------------------------------------------------------------- */
static inline skein_global_mutex_t skein_global_mutex_create(int node) {
  return __skein_global_create(SKEIN_GLOBAL_MUTEX, 0, node, 0);
}
/* SKEIN_ELOCK: the caller holds it already. */
static inline int skein_global_mutex_lock(skein_global_mutex_t mutex) {
  return __skein_global(mutex, SKEIN_GLOBAL_LOCK, 0, 0);
}
/* SKEIN_EBUSY if any thread holds it. */
static inline int skein_global_mutex_trylock(skein_global_mutex_t mutex) {
  return __skein_global(mutex, SKEIN_GLOBAL_TRY_LOCK, 0, 0);
}
/* SKEIN_ELOCK: the caller does not hold it. */
static inline int skein_global_mutex_unlock(skein_global_mutex_t mutex) {
  return __skein_global(mutex, SKEIN_GLOBAL_UNLOCK, 0, 0);
}

/* --- condition, of one mutex, with which it lives ----------------------------------------------------------------- */
static inline skein_global_condition_t skein_global_condition_create(skein_global_mutex_t mutex) {
  return __skein_global_create(SKEIN_GLOBAL_CONDITION, mutex, (int)(mutex >> 40), 0);
}
/* Unlocks the mutex, which the caller holds (else SKEIN_ELOCK), waits for a signal, and locks it again. There are no
 * spurious wake-ups, but others may come first: look again. */
static inline int skein_global_condition_wait(skein_global_condition_t condition) {
  return __skein_global(condition, SKEIN_GLOBAL_CONDITION_WAIT, 0, 0);
}
/* Wakes the first thread that waits, or all. */
static inline int skein_global_condition_signal(skein_global_condition_t condition) {
  return __skein_global(condition, SKEIN_GLOBAL_CONDITION_SIGNAL, 0, 0);
}
static inline int skein_global_condition_broadcast(skein_global_condition_t condition) {
  return __skein_global(condition, SKEIN_GLOBAL_CONDITION_BROADCAST, 0, 0);
}

/* --- barrier: all wait until `parties` do; then it is ready for the next time ------------------------------------- */
static inline skein_global_barrier_t skein_global_barrier_create(int node, unsigned parties) {
  return __skein_global_create(SKEIN_GLOBAL_ROUND, parties, node, 0);
}
static inline int skein_global_barrier_wait(skein_global_barrier_t barrier) {
  return __skein_global(barrier, SKEIN_GLOBAL_BARRIER_WAIT, 0, 0);
}

/* --- latch: waits until it has been counted down to 0, where it stays --------------------------------------------- */
static inline skein_global_latch_t skein_global_latch_create(int node, uint64_t count) {
  return __skein_global_create(SKEIN_GLOBAL_EVENT, count, node, 0);
}
/* n < 2^48. */
static inline int skein_global_latch_down(skein_global_latch_t latch, uint64_t n) {
  return __skein_global(latch, SKEIN_GLOBAL_LATCH_DOWN | n << 16, 0, 0);
}
static inline int skein_global_latch_wait(skein_global_latch_t latch) {
  return __skein_global(latch, SKEIN_GLOBAL_LATCH_WAIT, 0, 0);
}

/* --- future: a value of up to 1 MiB that is set once, and waited for by any number -------------------------------- */
static inline skein_global_future_t skein_global_future_create(int node) {
  return __skein_global_create(SKEIN_GLOBAL_EVENT, 1, node, 0);
}
/* SKEIN_ELOCK: it has been set. */
static inline int skein_global_future_set(skein_global_future_t future, const void *value, size_t bytes) {
  return __skein_global(future, SKEIN_GLOBAL_FUTURE_SET, (void *)value, bytes);
}
/* SKEIN_EMEMORY, with nothing written: the value has another size. */
static inline int skein_global_future_get(skein_global_future_t future, void *value, size_t bytes) {
  return __skein_global(future, SKEIN_GLOBAL_FUTURE_GET, value, bytes);
}

/* --- reduction and broadcast: `parties` threads, once each in a round --------------------------------------------- */
enum { SKEIN_REDUCE_ADD, SKEIN_REDUCE_MULTIPLY, SKEIN_REDUCE_MIN, SKEIN_REDUCE_MAX, SKEIN_REDUCE_AND, SKEIN_REDUCE_OR };
static inline skein_reduction_t skein_reduction_create(int node, unsigned parties) {
  return __skein_global_create(SKEIN_GLOBAL_ROUND, parties, node, 0);
}
/* Each thread gives `count` values and gets, in the same place, those of all combined, in an order that depends on when
 * they come. All threads of a round must ask for the same (SKEIN_EREFUSED). Up to 1 MiB. AND and OR are for integers.
 */
static inline int skein_reduce_int64(skein_reduction_t reduction, int operation, int64_t *values, size_t count) {
  return __skein_global(reduction, SKEIN_GLOBAL_REDUCE | (uint64_t)operation << 16, values, count * sizeof *values);
}
static inline int skein_reduce_double(skein_reduction_t reduction, int operation, double *values, size_t count) {
  return __skein_global(reduction, SKEIN_GLOBAL_REDUCE | ((uint64_t)operation | 8) << 16, values,
                        count * sizeof *values);
}
/* One of the parties sends, and the others receive as many bytes. All return when all have come. */
static inline int skein_broadcast_send(skein_reduction_t reduction, const void *value, size_t bytes) {
  return __skein_global(reduction, SKEIN_GLOBAL_SEND, (void *)value, bytes);
}
static inline int skein_broadcast_receive(skein_reduction_t reduction, void *value, size_t bytes) {
  return __skein_global(reduction, SKEIN_GLOBAL_RECEIVE, value, bytes);
}

/* --- after deaths (<skein/deaths.h>) -------------------------------------------------------------------------------
 */
/* Sets the parties of a barrier, or of reductions and broadcasts, to `parties` from now on (at least 1), with so many
 * `deaths` taken into account. A new round begins, and threads that waited in the old one get SKEIN_EDEAD. All that
 * agree on both (skein_agree) may call it, in any order, and come to the new round at once: only the first call changes
 * anything. SKEIN_EDEAD: more nodes are dead by now; agree again. SKEIN_EREFUSED: another number of parties was given
 * for as many deaths. May block. */
static inline int skein_global_shrink(uint64_t round, unsigned parties, int deaths) {
  return __skein_global(round, SKEIN_GLOBAL_SHRINK | (uint64_t)parties << 16 | (uint64_t)(uint16_t)deaths << 48, 0, 0);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */
/* From now on the object cannot be used; threads that wait are told so (SKEIN_ETHREAD). */
static inline int skein_global_free(uint64_t object) { return __skein_global(object, SKEIN_GLOBAL_FREE, 0, 0); }

#ifdef __cplusplus
}
#endif
#endif
