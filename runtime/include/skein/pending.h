/* What was started and is waited for later: migrations (<skein/migration.h>), copies (<skein/messages.h>).
 *
 * A handle names an operation on every node, so that a thread may start it here, move, and wait for it there. 0 is
 * none: the operation did not begin, and skein_error_text() says why. Each handle is to be given to skein_pending_wait
 * or skein_pending_forget, once; until then its node remembers how the operation ended. */
#ifndef SKEIN_PENDING_H
#define SKEIN_PENDING_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t skein_pending_t;

/* Waits until the operation has ended and returns its code; its error text becomes the caller's. Blocks, may migrate.
 * SKEIN_ETHREAD if there is no such operation, or another thread waits for it already; SKEIN_EDEAD if the node that
 * started it died. */
int skein_pending_wait(skein_pending_t pending);

/* The same; `*count` gets the number of threads that have moved (for a migration, <skein/migration.h>). */
int skein_pending_wait_count(skein_pending_t pending, unsigned *count);

/* Returns 1 if the operation has ended (then skein_pending_wait returns at once), 0 if it has not, or there is none.
 * Does not block on the node that started it. */
int skein_pending_test(skein_pending_t pending);

/* Says that the operation will not be waited for: it goes on, and how it ends is forgotten. Does not block. */
void skein_pending_forget(skein_pending_t pending);

#ifdef __cplusplus
}
#endif
#endif
