/* Thread to data, or data to thread. (TR-97-038, section 8.4: where moving a thread and fetching what it needs cost
 * the same.) */
#ifndef SKEIN_SHARED_FOLLOW_H
#define SKEIN_SHARED_FOLLOW_H

#include <skein/shared.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To be called when the thread is about to read `bytes` around `p`, in pieces of some words (0: as often as it did
 * there lately). It moves to the node of p if, by the costs measured so far, that takes less time than those reads. It
 * stays if p can be touched directly. SKEIN_OK, whether it moved or not; otherwise the errors of skein_push_self, and
 * SKEIN_EPOINTER. Blocks, may migrate. */
int skein_follow(const skein_shared void *p, size_t bytes);

/* How often the caller has asked that node by message for shared memory since it came to the node it is on. The counts
 * of the four nodes that it asks most are kept, and are never too small. Does not block. */
SKEIN_NOMIGRATE unsigned skein_remote_accesses(int node);

#ifdef __cplusplus
}
#endif
#endif
