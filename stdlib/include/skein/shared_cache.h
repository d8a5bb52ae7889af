/* Copies of shared memory of nodes whose memory is not mapped here, kept by contract (docs/memory-model.md).
 *
 *     skein_shared_cache(table, bytes, SKEIN_CACHE_THROUGH);
 *
 * From then on every node may keep copies of what it reads there. A copy is looked at anew after each *acquire*: a
 * semaphore or another global object that lets the thread go on, a join, a message, an atomic operation, a move. With
 * SKEIN_CACHE_BACK writes stay here, too, until the next *release*: the same calls, seen from the other side. A program
 * without data races sees no difference but in speed. Where slices are mapped nothing changes. */
#ifndef SKEIN_SHARED_CACHE_H
#define SKEIN_SHARED_CACHE_H

#include <skein/shared.h>

#ifdef __cplusplus
extern "C" {
#endif

enum skein_cache {
  SKEIN_CACHE_NONE,     /* each access goes to the owner; this is the mode at first */
  SKEIN_CACHE_CONSTANT, /* no thread writes there until the mode changes: copies stay good across acquires */
  SKEIN_CACHE_THROUGH,  /* a write has been made at the owner when it returns */
  SKEIN_CACHE_BACK,     /* a write has been made at the owner after the next release */
};

/* Sets how [begin, begin + bytes), of one block or part of an array, is cached from now on, by all nodes. While the
 * call is under way no thread may access these bytes. A block must not be freed while it is cached. Blocks, may
 * migrate. SKEIN_EPOINTER if that is no shared memory. */
int skein_shared_cache(const skein_shared void *begin, size_t bytes, enum skein_cache mode);

/* Begins to fetch copies of [begin, begin + bytes), as far as it is cached. Does not wait for them, and may do nothing.
 */
void skein_shared_prefetch(const skein_shared void *begin, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
