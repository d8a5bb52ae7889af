/* Active messages: a request runs a function of the program, its *handler*, on another node, which may reply.
 * (TR-97-054, section 5; TR-97-038, section 5.4, Brahma; docs/sources.md.)
 *
 *     SKEIN_HANDLER(add, message) {                              // plain: runs at once, between two messages
 *       long sum = ((const long *)message->data)[0] + ((const long *)message->data)[1];
 *       skein_reply(message, &sum, sizeof sum);
 *     }
 *     ...
 *     long terms[2] = {40, 2}, sum;
 *     skein_call(1, &add, terms, sizeof terms, &sum, sizeof sum, NULL);
 *
 * A *plain* handler runs where messages are handled: on no Skein thread, one at a time on each node. It may not block,
 * move, or send requests, which the compiler checks (it is SKEIN_NOMIGRATE); it may reply once, spawn threads, and
 * signal semaphores (of <skein/sync.h> and of <skein/shared.h>) and set futures of its node. Variables that are
 * private to a thread are not for it. A *threaded* handler runs as a thread of its own, which may do all that threads
 * do; it may reply from wherever it is by then. A handler that does not reply to a call is answered for when it
 * returns, with nothing.
 *
 * What travels is the handler's number in the program, never an address; so handlers are part of the program itself,
 * not of its shared libraries, and only nodes that run the same build take requests from each other (SKEIN_EREFUSED).
 *
 * No message is lost, and none waits for another one. Each node may have a certain number of requests under way to
 * another one (SKEIN_OPTIONS=message_credits=...), and a thread that sends more is blocked until some were handled.
 * Replies are not limited. Requests may overtake each other. If the node dies, all threads that wait for it get
 * SKEIN_EDEAD.
 *
 * Every call may be made by any number of threads at once, and by threads that move in between. */
#ifndef SKEIN_MESSAGES_H
#define SKEIN_MESSAGES_H

#include <skein/pending.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes that a message carries. */
#define SKEIN_MESSAGE_MOST ((size_t)64 << 20)

/* What a handler is given. */
struct skein_message {
  int from;          /* the node that sent it */
  int status;        /* SKEIN_OK; for the handler of a reply also the reason why there is none: SKEIN_EDEAD, ... */
  uint64_t argument; /* in the handler of a reply, what skein_request was given; else 0 */
  const void *data;  /* 16-aligned. Valid until the handler returns; that of a threaded handler moves with its thread */
  size_t bytes;
  uint64_t call; /* for the runtime: the call to be answered; 0: there is none, or it has been answered */
};

/* A handler of this program. Its name is what the macros below were given; they alone make handlers. */
struct skein_handler {
  void (*handle)(struct skein_message *message);
  void (*thread)(uint64_t request); /* null: plain */
  const char *name;
  void *reserved; /* makes the records lie one after the other, whatever their alignment */
} __attribute__((aligned(32)));

#ifdef __cplusplus
#define SKEIN_HANDLER_LINKAGE extern "C"
#else
#define SKEIN_HANDLER_LINKAGE extern
#endif

/* Declares a handler that another file of the program defines. It has another name for the linker, so that a handler
 * called `open` is not taken for the C library's. */
#define SKEIN_HANDLER_DECLARE(name)                                                                                    \
  SKEIN_HANDLER_LINKAGE const struct skein_handler name __asm__("skein_handler." #name)

/* Defines a handler: SKEIN_HANDLER(name, message) { ... }, where `message` names its struct skein_message *. */
#define SKEIN_HANDLER(name, message)                                                                                   \
  SKEIN_HANDLER_DECLARE(name);                                                                                         \
  SKEIN_NOMIGRATE static void name##_handle(struct skein_message *message);                                            \
  SKEIN_HANDLER_RECORD(name, 0);                                                                                       \
  static void name##_handle(struct skein_message *message)

#define SKEIN_THREADED_HANDLER(name, message)                                                                          \
  SKEIN_HANDLER_DECLARE(name);                                                                                         \
  static void name##_handle(struct skein_message *message);                                                            \
  static void name##_thread(uint64_t request) { __skein_message_thread(name##_handle, request); }                      \
  SKEIN_HANDLER_RECORD(name, name##_thread);                                                                           \
  static void name##_handle(struct skein_message *message)

#define SKEIN_HANDLER_RECORD(name, thread)                                                                             \
  const struct skein_handler name __attribute__((used, section("skein_handlers"))) = {name##_handle, thread, #name, 0}

/* Sends a request that is not answered. When it returns SKEIN_OK the data has been copied and will arrive, if the node
 * lives. Blocks while too many are under way. Errors: SKEIN_ENODE, SKEIN_EDEAD, SKEIN_EREFUSED (no handler of this
 * program), SKEIN_EMEMORY (more than SKEIN_MESSAGE_MOST). Requests of different threads are treated alike. */
int skein_send(int node, const struct skein_handler *handler, const void *data, size_t bytes);

/* Sends a request and waits for its reply, of at most `room` bytes, which goes to `reply`; its size goes to `*got`
 * (which may be null). Blocks. Errors are those of skein_send, and SKEIN_EMEMORY, with nothing written but `*got`, if
 * there is no room. A node may call itself, too. */
int skein_call(int node, const struct skein_handler *handler, const void *data, size_t bytes, void *reply, size_t room,
               size_t *got);

/* Sends a request and goes on. When it is answered, or cannot be (`status`), the plain handler `on_reply` runs on the
 * node that the caller is on now, with `argument`. It is called exactly once if this returned SKEIN_OK, and not
 * otherwise. Blocks while too many are under way. */
int skein_request(int node, const struct skein_handler *handler, const void *data, size_t bytes,
                  const struct skein_handler *on_reply, uint64_t argument);

/* Answers a request, in its handler, at most once. SKEIN_ETHREAD if it has been answered, or is not to be answered
 * (requests of skein_send, and replies themselves). Does not block. */
SKEIN_NOMIGRATE int skein_reply(struct skein_message *message, const void *data, size_t bytes);

/* --- copies between the memory of two nodes --------------------------------------------------------------------------
 *
 * A *window* is memory of a node that others may read and write, named by a number that is good on every node. Every
 * copy is checked against it. What belongs to a thread (its stack, its private variables and heap) is no such memory,
 * since it moves. Copies of the same bytes at the same time are the program's business, as with threads. */
typedef uint64_t skein_window_t;

/* Opens `bytes` of this node's memory from `base`. 0 with an error text: SKEIN_EPOINTER for a thread's own memory. The
 * owner of the memory must close the window before it frees it; from then on copies are refused. Neither blocks. */
skein_window_t skein_window_open(void *base, size_t bytes);
int skein_window_close(skein_window_t window); /* on the node that opened it; SKEIN_ENODE elsewhere */

/* Copies to or from the window, from `offset`. Blocks until the copy is done. SKEIN_EPOINTER if the window is closed or
 * does not hold all these bytes: then nothing was copied. */
int skein_put(skein_window_t window, size_t offset, const void *from, size_t bytes);
int skein_get(void *to, skein_window_t window, size_t offset, size_t bytes);

/* The same, started and not waited for. `from` may be changed at once. `to` must be memory of this node that stays
 * where it is until the copy has ended (SKEIN_EPOINTER for a thread's own). Blocks while too many requests are under
 * way. */
skein_pending_t skein_put_start(skein_window_t window, size_t offset, const void *from, size_t bytes);
skein_pending_t skein_get_start(void *to, skein_window_t window, size_t offset, size_t bytes);

/* --- quiescence
 * -------------------------------------------------------------------------------------------------------
 *
 * Wait until the whole run is at rest: on every node each other thread is blocked (in this call, too), and no message
 * is under way that could change that. For programs whose parts go on by messages and nobody knows how many: send the
 * first ones, quiesce, look at the result. Threads that have ended count for nothing; one that waits for a kernel
 * thread of the program, or for time to pass, counts as blocked. Any number of threads may call it; all return when the
 * run is at rest. Blocks. SKEIN_EDEAD if a node died. Source: Mattern's four counters, 1987
 * (runtime/net/run/termination.h). */
int skein_quiesce(void);

/* --- for the macros and functions above
 * ------------------------------------------------------------------------------- */
void __skein_message_thread(void (*handle)(struct skein_message *message), uint64_t request);

#ifdef __cplusplus
}
#endif
#endif
