/* Copies to and from shared memory that are started now and waited for later, so that one thread has many under way.
 *
 *     skein_pending_t reads[2] = {skein_shared_get_start(a, p, 800), skein_shared_get_start(b, q, 800)};
 *     ...
 *     skein_pending_wait(reads[0]); skein_pending_wait(reads[1]);
 *
 * Private memory that takes part must be memory of the node that stays where it is: not the thread's own (its stack,
 * its private heap), which moves; but what a put takes is copied at once, so it may come from anywhere. */
#ifndef SKEIN_SHARED_COPY_H
#define SKEIN_SHARED_COPY_H

#include <skein/pending.h>
#include <skein/shared.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts a copy. 0 with an error text if it cannot begin: SKEIN_EPOINTER, SKEIN_EDEAD. skein_pending_wait returns the
 * code of a later error. Blocks while 1024 copies of this node are under way. */
skein_pending_t skein_shared_get_start(void *to, const skein_shared void *from, size_t bytes);
skein_pending_t skein_shared_put_start(skein_shared void *to, const void *from, size_t bytes);
skein_pending_t skein_shared_copy_start(skein_shared void *to, const skein_shared void *from, size_t bytes);

/* Waits until all copies that any thread of this node has started before have ended, well or badly. Blocks, may
 * migrate. */
int skein_shared_flush(void);

#ifdef __cplusplus
}
#endif
#endif
