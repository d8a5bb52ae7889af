/* Half-processes: threads of which each has variables and a heap of its own, and which share one range of addresses on
 * all nodes. (Source: Hara and Taura, *Half-process*, sections 4.1, 4.2 and 5.2.2.) Skein needs no change of the
 * kernel.
 *
 *     not shared    a thread's stack; its variables and its malloc in units compiled with -fskein-globals=private and
 *                   -fskein-heap=private. They move with it, at the same addresses.
 *     shared        what halfproc_malloc and skein_shared_map give: skein_shared pointers, which all threads of all
 *                   nodes may follow and may leave in shared memory for each other.
 *
 * Names are those of the paper, arguments those of POSIX threads, which they replace there. What differs, and why:
 *
 *   - What a thread is given and what it returns are skein_shared pointers: any other pointer would lead into the
 *     memory of one thread.
 *   - Mutexes and conditions lie in shared memory and work on every node. A mutex belongs to the thread that locked it,
 *     wherever that goes (<skein/global.h>, on which they are built, says what happens when its holder ends or dies).
 *   - Mutexes and conditions have no attributes.
 *   - Calls that return int return SKEIN_OK or a SKEIN_E* code with an error text.
 *   - dmread and dmwrite name a node, not a process of the kernel: skein_peer_read and skein_peer_write. */
#ifndef SKEIN_HALFPROC_H
#define SKEIN_HALFPROC_H

#include <skein/global.h>
#include <skein/shared.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- threads ------------------------------------------------------------------------------------------------------ */
typedef skein_thread_t halfproc_t;

/* Starts function(argument) as a new thread, whose id goes to `*thread`. `attributes` may be NULL; .node = SKEIN_ON(n)
 * lets it begin on node n. Its variables begin with the initial values of the program, as those of a new process do.
 * SKEIN_EREFUSED: it could not be created as wanted. May block and migrate. */
static inline int halfproc_create(halfproc_t *thread, const struct skein_attributes *attributes,
                                  skein_shared void *(*function)(skein_shared void *), skein_shared void *argument) {
  const halfproc_t created =
      attributes ? skein_spawn_with(attributes, function, argument) : skein_spawn(function, argument);
  if (!created)
    return SKEIN_EREFUSED;
  *thread = created;
  return SKEIN_OK;
}
/* Waits until the thread has ended, wherever it is; `*result`, unless `result` is NULL, becomes what it returned.
 * Blocks, may migrate. SKEIN_EDEAD: it died with its node. SKEIN_ETHREAD: it was joined before. */
static inline int halfproc_join(halfproc_t thread, skein_shared void **result) {
  return result ? skein_join_result(thread, result) : skein_join(thread);
}
/* Says that nobody will ask for the thread's result. SKEIN_ETHREAD: there is and was no such thread. */
static inline int halfproc_detach(halfproc_t thread) { return skein_detach(thread); }

/* --- memory ------------------------------------------------------------------------------------------------------- */
/* At least `bytes` bytes, aligned as by malloc, which live on the caller's node until they are freed, whether or not
 * the caller stays there. NULL with an error text. May block and migrate. */
skein_shared void *halfproc_malloc(size_t bytes);
/* Gives the block another size: the result, on the caller's node, has its contents, and the block is freed. NULL, and
 * the block is as it was, with an error text: there is no memory, or it is no block of halfproc_malloc. May block and
 * migrate. */
skein_shared void *halfproc_realloc(skein_shared void *block, size_t bytes);
/* Frees a block, from any node; NULL is allowed. SKEIN_EPOINTER: it is none of halfproc_malloc, or was freed before.
 * May block and migrate. */
int halfproc_free(skein_shared void *block);

/* --- mutexes and conditions: in shared memory, and initialised before they are used ------------------------------- */
typedef struct halfproc_mutex {
  skein_global_mutex_t id;
} halfproc_mutex_t;
typedef struct halfproc_cond {
  skein_global_mutex_t mutex; /* of the first wait; 0: no thread has waited yet */
  skein_global_condition_t id;
} halfproc_cond_t;

/* They may block and migrate. SKEIN_ETHREAD: the mutex is not initialised, or was destroyed, also meanwhile.
 * halfproc_mutex_init makes the mutex on the node where its memory is. SKEIN_EMEMORY: that is not possible. */
int halfproc_mutex_init(skein_shared halfproc_mutex_t *mutex);
/* SKEIN_ELOCK: the caller holds it already, or its holder has ended. */
int halfproc_mutex_lock(skein_shared halfproc_mutex_t *mutex);
/* SKEIN_EBUSY: a thread holds it. */
int halfproc_mutex_trylock(skein_shared halfproc_mutex_t *mutex);
/* SKEIN_ELOCK: the caller does not hold it. */
int halfproc_mutex_unlock(skein_shared halfproc_mutex_t *mutex);
/* SKEIN_EBUSY, and nothing happens: a thread holds it. Conditions that were waited for with it end with it. */
int halfproc_mutex_destroy(skein_shared halfproc_mutex_t *mutex);

/* A condition belongs to the mutex of its first wait, until it is destroyed and initialised again. They may block and
 * migrate. */
int halfproc_cond_init(skein_shared halfproc_cond_t *condition);
/* Unlocks the mutex, waits for a signal, and locks it again. Nothing else wakes a thread, but others may come first:
 * look again. SKEIN_ELOCK: the caller does not hold the mutex, or it is not that of the first wait. */
int halfproc_cond_wait(skein_shared halfproc_cond_t *condition, skein_shared halfproc_mutex_t *mutex);
/* Wakes the first thread that waits, or all; if none does, nothing happens. */
int halfproc_cond_signal(skein_shared halfproc_cond_t *condition);
int halfproc_cond_broadcast(skein_shared halfproc_cond_t *condition);
/* Threads that wait get SKEIN_ETHREAD. */
int halfproc_cond_destroy(skein_shared halfproc_cond_t *condition);

/* --- pages -------------------------------------------------------------------------------------------------------- */
/* Makes zeroed pages of shared memory that live on the caller's node. All nodes may read and write them when this
 * returns. NULL with an error text. Blocks, may migrate. */
skein_shared void *skein_shared_map(size_t bytes);
/* Unmaps pages from skein_shared_map, all or a part, from any node: when it returns, no node can touch them any more.
 * Both arguments must be multiples of the page size (4096); SKEIN_EPOINTER if not all of them are mapped. Blocks, may
 * migrate. */
int skein_shared_unmap(skein_shared void *begin, size_t bytes);
/* Sets what may be done with the pages: PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE of <sys/mman.h>. It holds on every
 * node when this returns. A thread that breaks it gets SIGSEGV where the pages are mapped, and ends with a message
 * elsewhere. */
int skein_shared_protect(skein_shared void *begin, size_t bytes, int protection);

/* --- memory that is not shared ------------------------------------------------------------------------------------ */
/* Copy memory of another node's process, which is not shared: [there, there + bytes) of `node`, to or from `here`. The
 * kernel does it in one step if both are on one host and may trace each other; otherwise it takes a message.
 * SKEIN_EPOINTER: not all of it is accessible there; then any part may have been copied. SKEIN_ENODE, SKEIN_EDEAD. They
 * may block and migrate. */
int skein_peer_read(int node, const void *there, size_t bytes, void *here);
int skein_peer_write(int node, void *there, size_t bytes, const void *here);

#ifdef __cplusplus
}
#endif
#endif
