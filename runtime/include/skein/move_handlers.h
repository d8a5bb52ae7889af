/* What a thread does when it leaves a node, and when it arrives at one: close a file and open it again, look up what
 * the node has of its own, count. (Mascarenhas and Rego, *Ariadne*, section "The Distributed Programming Model": an
 * update function of the application finds at the destination what replaces a pointer; docs/sources.md.)
 *
 *     struct log { FILE *file; char path[64]; };
 *     static void log_leaves(void *data, int to) {
 *       struct log *log = data;
 *       fclose(log->file);
 *       log->file = NULL; // a pointer to memory of the process would keep the thread here
 *     }
 *     static void log_arrives(void *data, int from) {
 *       struct log *log = data;
 *       log->file = fopen(log->path, "a");
 *     }
 *     ...
 *     struct log log = {fopen("log", "a"), "log"};
 *     SKEIN_ON_MOVE(log_leaves, log_arrives, &log); // until the block ends
 *
 * `leaves` is called when the thread is about to be sent to another node, whoever wants that: itself, another thread, a
 * thief, a policy. Then `arrives` is called once: on that node, before the thread goes on, or where it was, if it
 * stays after all. A thread that is lost with a node gets no `arrives`. With several handlers the one that was added
 * last leaves first, and arrives last. A thread that is packed (<skein/pack.h>) leaves for SKEIN_IMAGE and is back at
 * once; the threads that are made of the image arrive from there. One that is rolled back leaves as it is now, and
 * arrives as it was.
 *
 * The thread does not run meanwhile. So a handler runs on no Skein thread, as a plain handler of <skein/messages.h>
 * does: it may not block or migrate, which the compiler checks, memory that it allocates belongs to the process, and
 * while it runs, no message is handled and no other thread can move to or from this node. Private variables are the
 * thread's. `data` is to lie in the thread's stack, private variables or private heap, whose addresses are made right
 * before `arrives` is called. It is changed behind the thread's back, as by a signal handler: where a poll is the only
 * migration point between two uses, what changes has to be volatile. */
#ifndef SKEIN_MOVE_HANDLERS_H
#define SKEIN_MOVE_HANDLERS_H

#include <skein/skein.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place that a packed thread leaves for, and that the threads made of the image come from. */
enum { SKEIN_IMAGE = -1 };

/* The handlers of a thread at one time are at most so many. */
enum { SKEIN_MOVE_HANDLERS_MOST = 64 };

/* A pair of handlers of one thread. It lies in the thread's stack, private variables or private heap, from
 * skein_move_handler_add to skein_move_handler_remove. */
struct skein_move_handler {
  void (*leaves)(void *data, int to);    /* null: nothing to do */
  void (*arrives)(void *data, int from); /* likewise. `from` is this node if the thread has not left after all */
  void *data;
  struct skein_move_handler *next; /* the runtime's */
  uint64_t mark;                   /* the runtime's */
};

/* The caller has these handlers from now on. SKEIN_EPOINTER: `handler` lies in memory that does not move with the
 * thread; SKEIN_EBUSY: it has been added already, or there are too many; SKEIN_ETHREAD: no Skein thread calls. Does not
 * block. */
SKEIN_NOMIGRATE int skein_move_handler_add(struct skein_move_handler *handler);
/* And no longer. A handler has to be removed before its memory is freed or its function returns: the thread cannot move
 * after that, and says why. (longjmp removes those of the functions that it ends.) SKEIN_EEMPTY: it is none of the
 * caller's. Does not block. */
SKEIN_NOMIGRATE int skein_move_handler_remove(struct skein_move_handler *handler);

/* For SKEIN_ON_MOVE: ends the program with a message if the handlers cannot be added. */
SKEIN_NOMIGRATE void __skein_on_move(struct skein_move_handler *handler);
SKEIN_NOMIGRATE void __skein_on_move_over(struct skein_move_handler *handler);

/* The thread has these handlers from here to the end of the block, however that ends. */
#define SKEIN_ON_MOVE(leaves, arrives, data) SKEIN_ON_MOVE_NAMED_(__LINE__, leaves, arrives, data)
#define SKEIN_ON_MOVE_NAMED_(line, leaves, arrives, data) SKEIN_ON_MOVE_IN_(line, leaves, arrives, data)
#define SKEIN_ON_MOVE_IN_(line, leaves, arrives, data)                                                                 \
  struct skein_move_handler skein_on_move_##line                                                                       \
      __attribute__((cleanup(__skein_on_move_over))) = {(leaves), (arrives), (data), 0, 0};                            \
  __skein_on_move(&skein_on_move_##line)

#ifdef __cplusplus
}
#endif
#endif
