/* Checkpoints from the program: what `skein run --checkpoint DIR` makes from time to time is made now.
 *
 *     for (step = 0; step < steps; step++) {
 *       if (step % 100 == 0 && skein_checkpoint() == SKEIN_RESTORED)
 *         printf("going on from step %d\n", step);      // this run was started by `skein restart DIR`
 *       compute(step);
 *     }
 *
 * A checkpoint has the whole run: all threads, wherever they are and whatever they wait for, all memory of all nodes,
 * objects over nodes, messages. docs/language.md says what it does not have: what lies outside of the run. */
#ifndef SKEIN_CHECKPOINT_H
#define SKEIN_CHECKPOINT_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What skein_checkpoint returns in a run that goes on from that checkpoint, or from an earlier one that was being made
 * while the caller waited. */
enum { SKEIN_RESTORED = -1 };

/* Makes a checkpoint of the run, and returns when it is complete and on the disk. The other threads go on after the
 * cut, which takes some milliseconds. Several threads that ask at the same time may get one checkpoint. SKEIN_OK;
 * SKEIN_RESTORED; SKEIN_EREFUSED, with a text: this run makes no checkpoints, or this one could not be made, and the
 * text says why; SKEIN_ETIME: it has not been made for an hour. Blocks; the caller stays on its node meanwhile. */
int skein_checkpoint(void);

/* Functions of this process that are called around checkpoints, on each node where they were given: `before` when
 * nothing runs any more and the copy is about to be made, `after` in the run that goes on, `restored` in a run that was
 * made of the checkpoint, before any thread goes on. Each may be null, gets `context`, and must return soon: all
 * nodes wait for it. They run outside of threads, so they may not block or migrate. What `before` does is part of the
 * checkpoint: a program can note there what it has to open again. They must not write to shared memory: other nodes may
 * have been copied already, or not yet. Returns SKEIN_OK or SKEIN_EMEMORY. Does not block. */
int skein_on_checkpoint(void (*before)(void *context), void (*after)(void *context), void (*restored)(void *context),
                        void *context);

#ifdef __cplusplus
}
#endif
#endif
