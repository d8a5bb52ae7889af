/* Migration, in full: any thread or a certain one, one or many, now or in the background. <skein/skein.h> has the short
 * forms. (TR-97-054, section 2; TR-97-038, section 5.6; docs/sources.md.)
 *
 *     who moves           wait for it           start it, and wait later
 *     the caller          skein_push_self       skein_push_start(skein_self(), ...)  (at its next poll)
 *     a certain thread    skein_push            skein_push_start
 *     some from here      skein_push_any        skein_push_any_start
 *     some from a node    skein_steal_any_from  skein_steal_any_from_start
 *     some from any node  skein_steal_any       skein_steal_any_start
 *     some from several                         skein_prefetch_start
 *
 * What is started is a skein_pending_t (<skein/pending.h>), to be tested, waited for or forgotten, on any node. Threads
 * move in the background meanwhile. skein_pending_wait_count tells how many did.
 *
 * A thread that is blocked does not move: what it waits for (a queue of a local object, an answer that is written to
 * its stack) knows where it is. It may be taken as soon as it is ready again. But one that waits for an object over
 * nodes (<skein/global.h>) or for a channel (<skein/channel.h>) can be pushed away by its id, and waits on at the other
 * node. */
#ifndef SKEIN_MIGRATION_H
#define SKEIN_MIGRATION_H

#include <skein/pending.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SKEIN_INITIALISED = 1, /* has not run yet: only its function and arguments */
  SKEIN_READY = 2,       /* has a stack, and waits for its turn */
};

/* Which threads, and how many. All members 0, or a null pointer: any that may move, half of those that are ready. */
struct skein_bundle; /* <skein/bundle.h> */
struct skein_choice {
  unsigned states;     /* SKEIN_INITIALISED, SKEIN_READY, or both added; 0: both, the cheaper ones first */
  unsigned most;       /* so many threads at most; 0: half. One message carries 1024, and SKEIN_OPTIONS=steal_bytes= */
  unsigned timeout_ms; /* of a steal: SKEIN_ETIME after that; 0: as long as the asked node lives */
  struct skein_bundle
      *bundle; /* of this one only, which all nodes know (SKEIN_BUNDLE; else SKEIN_EREFUSED); NULL: of any */
};

/* Pushes ready threads of this node to `node`, and waits until they have arrived, or stay. `*moved` (which may be null)
 * gets the number of those that arrived. SKEIN_OK if there are any; SKEIN_EEMPTY if no thread was ready; else the
 * reason why the last one stayed. Blocks. */
int skein_push_any(const struct skein_choice *which, int node, unsigned *moved);

/* Asks a node, or one node after the other, beginning with a random one, until one has threads, and waits until they
 * are here. SKEIN_EEMPTY, SKEIN_ETIME (threads that come later run here all the same), SKEIN_EDEAD. Both block. */
int skein_steal_any_from(const struct skein_choice *which, int node, unsigned *moved);
int skein_steal_any(const struct skein_choice *which, unsigned *moved);

/* The same, started and not waited for. These do not block; 0 with an error text if nothing was begun. A thread that
 * runs here (the caller, too) is pushed at its next poll, if the program has polls. */
skein_pending_t skein_push_start(skein_thread_t thread, int node);
skein_pending_t skein_push_any_start(const struct skein_choice *which, int node);
skein_pending_t skein_steal_any_from_start(const struct skein_choice *which, int node);
skein_pending_t skein_steal_any_start(const struct skein_choice *which);

/* Asks several nodes at once, before this one has nothing to do. The operation ends when all have answered, with
 * SKEIN_OK if any thread came. `most` is for each of them. */
skein_pending_t skein_prefetch_start(const struct skein_choice *which, const int *nodes, unsigned count);

#ifdef __cplusplus
}
#endif
#endif
