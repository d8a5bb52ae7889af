/* Bundles: groups of threads with a scheduling policy of their own.
 *
 * The scheduler decides nothing; it tells the bundle of a thread what happens (a struct of event handlers), and asks a
 * bundle for a thread when a worker has nothing to do. Every thread is in one bundle, that of the thread that spawned
 * it if nothing else was said. Bundles form a tree under the *root* bundle, which main is in.
 *
 *     who holds a thread        what happens                                  then it is held by
 *     nobody, it is new         thread_created                                the bundle
 *     the bundle                processor_idle, take or outgoing returns it   the scheduler, or a migration
 *     the scheduler (it runs)   thread_yielded, thread_unblocked              the bundle
 *     a migration               incoming, or thread_unblocked (it stays)      the bundle
 *
 * When a worker is free it asks the bundle it was busy with last, then that one's parents up to the root, then all
 * others in turn; a bundle that always has something is left after SKEIN_BUNDLE_TURNS threads in a row if others have
 * something, too.
 *
 * Handlers run on the worker's own stack, on any worker and on the kernel thread that receives messages, several at the
 * same time: a bundle protects its data itself. They must be short, and may not call anything that blocks or migrates
 * (the program ends with a message if they do). A handler that is compiled with -fskein-globals=private sees no
 * thread's globals: a bundle's state belongs in `data`.
 *
 * Source: Active Threads (TR-97-054, sections 4 and 6, Table 1); the four up-calls are Ariadne's (section on scheduler
 * customisation, Figure 7). */
#ifndef SKEIN_BUNDLE_H
#define SKEIN_BUNDLE_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKEIN_BUNDLE_TURNS 64

struct skein_bundle;

/* What a bundle sees of a thread: its thread control block. It belongs to the runtime and never moves in memory. A
 * bundle may use it while it holds the thread, and inside of a handler that was given it. It may only read it, except
 * for the members that are the bundle's. */
struct skein_tcb {
  struct skein_tcb *next, *previous; /* the bundle's while it holds the thread; NULL whenever it lets go of it */
  struct skein_bundle *bundle;
  void *data;      /* the bundle's while it holds the thread; NULL at first */
  uint32_t worker; /* where it ran last */
  skein_thread_t id;
  uint64_t stamp;   /* as in skein_attributes; any thread may change its own with skein_stamp_set */
  int32_t priority; /* greater is more urgent */
};

/* Whether the thread has a stack, that is, has run before. One that has not is cheap to move, and starting it needs a
 * stack. */
SKEIN_NOMIGRATE int skein_tcb_started(const struct skein_tcb *thread);
/* Whether nothing that is known by now keeps the thread on this node. For `outgoing`. */
SKEIN_NOMIGRATE int skein_tcb_may_leave(const struct skein_tcb *thread);

/* Which thread `outgoing` is asked for. */
enum skein_wanted {
  SKEIN_WANT_FRESH_FIRST, /* rather one that has not started: no stack to move */
  SKEIN_WANT_STARTED_FIRST,
  SKEIN_WANT_FRESH_ONLY,
  SKEIN_WANT_STARTED_ONLY,
};

/* The event handlers, which are constant data of the program. Those marked * may be NULL. `worker` is the number of the
 * worker that an event happens on; if it happens on none, it is one that is as good as any. */
struct skein_bundle_events {
  const char *name; /* "fifo" */

  /* Called before the first and after the last event, also when the events of a bundle are changed; the bundle is empty
   * then. `open` sets bundle->data, and returns 0 or a SKEIN_E* code. * */
  int (*open)(struct skein_bundle *bundle) SKEIN_UNLESS_GIVEN;
  void (*close)(struct skein_bundle *bundle) SKEIN_UNLESS_GIVEN;

  /* The thread is new, and the bundle holds it from now on. Without this handler thread_unblocked is called. * */
  void (*thread_created)(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) SKEIN_UNLESS_GIVEN;
  /* The thread is ready again, and the bundle holds it from now on. */
  void (*thread_unblocked)(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker);
  /* The thread lets others run, and the bundle holds it from now on. Returns the thread that runs next. NULL means that
   * no other wants to run: then the bundle does not hold the thread, which goes on. SKEIN_NOBODY: nor does the thread
   * itself, for now, and the bundle holds it. Without this handler processor_idle and thread_unblocked are called. * */
  struct skein_tcb *(*thread_yielded)(struct skein_bundle *bundle, struct skein_tcb *thread,
                                      unsigned worker)SKEIN_UNLESS_GIVEN;
  /* The thread runs for the first time, blocks, or has ended. This is only news: the bundle does not hold it. * */
  void (*thread_started)(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) SKEIN_UNLESS_GIVEN;
  void (*thread_blocked)(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) SKEIN_UNLESS_GIVEN;
  void (*thread_terminated)(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) SKEIN_UNLESS_GIVEN;

  /* A child bundle was created or destroyed. * */
  void (*bundle_created)(struct skein_bundle *bundle, struct skein_bundle *child) SKEIN_UNLESS_GIVEN;
  void (*bundle_terminated)(struct skein_bundle *bundle, struct skein_bundle *child) SKEIN_UNLESS_GIVEN;

  /* The worker needs a thread: the bundle lets go of one, or returns NULL. It may ask another bundle by
   * skein_bundle_idle. */
  struct skein_tcb *(*processor_idle)(struct skein_bundle *bundle, unsigned worker);
  /* Lets go of this thread and returns 1 if the bundle still holds it, else returns 0. `next` does not tell that, since
   * a blocked thread is in a list of what it waits for: note it in `data`, or search. Without this handler threads of
   * the bundle cannot be pushed by others, nor yielded to. * */
  int (*take)(struct skein_bundle *bundle, struct skein_tcb *thread) SKEIN_UNLESS_GIVEN;

  /* For migration: lets go of a thread that may leave (skein_tcb_may_leave), or returns NULL. Without this handler no
   * thread is stolen. * */
  struct skein_tcb *(*outgoing)(struct skein_bundle *bundle, enum skein_wanted wanted,
                                unsigned worker)SKEIN_UNLESS_GIVEN;
  /* A thread came from another node. Without this handler thread_unblocked is called. * */
  void (*incoming)(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) SKEIN_UNLESS_GIVEN;

  /* How long a thread should run before a poll takes it from its worker if others wait, in milliseconds. 0: as long as
   * SKEIN_OPTIONS=slice_ms says; SKEIN_NO_SLICES: for ever. Code compiled with -fskein-polls=loops has polls. */
  unsigned slice_ms SKEIN_UNLESS_GIVEN;

  /* Several threads of this bundle are ready again at once, for example because one message answers them all. Without
   * this handler thread_unblocked is called for each. * */
  void (*threads_unblocked)(struct skein_bundle *bundle, struct skein_tcb *const *threads, unsigned count,
                            unsigned worker) SKEIN_UNLESS_GIVEN;

  /* 1: `outgoing` is asked only by calls that name this bundle (skein_push_any and its kin), not by thieves and
   * balancing policies. */
  unsigned asked_only SKEIN_UNLESS_GIVEN;
};
#define SKEIN_NO_SLICES (~0u)
#define SKEIN_NOBODY ((struct skein_tcb *)1)

/* The library's policies. Their threads can be stolen, pushed and yielded to.
 *
 *   local      one queue for each worker, for fork and join as well as for loops. Threads that have a stack take turns,
 *              and come before others. Of those that have not begun the newest is first, and idle workers and other
 *              nodes take the oldest. No thread waits for ever. Root has this policy unless SKEIN_OPTIONS=bundle=NAME
 *              names another
 *   fifo       one queue, first in first out
 *   lifo       one stack: the latest goes first
 *   priority   the greatest priority goes first, equal ones in order
 *   stamp      the smallest time stamp goes first (simulation), equal ones in order
 *
 * Turns are as long as SKEIN_OPTIONS=slice_ms says. For a policy with turns of another length, copy its events and set
 * slice_ms. */
extern const struct skein_bundle_events skein_bundle_local, skein_bundle_fifo, skein_bundle_lifo, skein_bundle_priority,
    skein_bundle_stamp;

/* Makes a bundle of this node under `parent` (NULL: root). The name is copied. NULL if there is no memory or `open`
 * failed. Its threads cannot leave the node, since other nodes do not know the bundle; see SKEIN_BUNDLE. Does not
 * block. */
SKEIN_NOMIGRATE struct skein_bundle *skein_bundle_create(const char *name, const struct skein_bundle_events *events,
                                                         struct skein_bundle *parent);
/* Ends the bundle: 0, or SKEIN_ETHREAD while threads or child bundles live in it. */
SKEIN_NOMIGRATE int skein_bundle_destroy(struct skein_bundle *bundle);

/* Defines a bundle that exists on every node from the start, under root, so that its threads can move and are in it
 * wherever they are. To be used at file scope; `name()` is then the bundle. */
#define SKEIN_BUNDLE(name, events)                                                                                     \
  __attribute__((used, section("skein_bundles"))) static const struct skein_bundle_definition name##_definition = {    \
      #name, events};                                                                                                  \
  __attribute__((unused)) static inline struct skein_bundle *name(void) {                                              \
    return skein_bundle_defined(&name##_definition);                                                                   \
  }
struct skein_bundle_definition {
  const char *name;
  const struct skein_bundle_events *events;
};
SKEIN_NOMIGRATE struct skein_bundle *skein_bundle_defined(const struct skein_bundle_definition *definition);

/* Changes the policy of a bundle, also of root, while its threads run: the ready ones are handed over one by one.
 * Returns 0, or what `open` of the new events returned (then nothing has changed). Workers that need the bundle
 * meanwhile wait. Does not block; handlers of messages may do it, too. */
SKEIN_NOMIGRATE int skein_bundle_events_set(struct skein_bundle *bundle, const struct skein_bundle_events *events);

SKEIN_NOMIGRATE struct skein_bundle *skein_bundle_root(void);
/* The bundle of the calling thread. */
SKEIN_NOMIGRATE struct skein_bundle *skein_bundle_self(void);
SKEIN_NOMIGRATE struct skein_bundle *skein_bundle_parent(const struct skein_bundle *bundle);
SKEIN_NOMIGRATE const char *skein_bundle_name(const struct skein_bundle *bundle);
SKEIN_NOMIGRATE const struct skein_bundle_events *skein_bundle_events_of(const struct skein_bundle *bundle);
/* The number of threads that live in the bundle on this node (for root, which is not counted, 0). It is a hint, since
 * it changes all the time. */
SKEIN_NOMIGRATE uint64_t skein_bundle_threads(const struct skein_bundle *bundle);

/* Limits the threads that live in the bundle on this node; for root (or NULL) those in all bundles of this node, which
 * SKEIN_OPTIONS=threads_max sets at start. 0: no limit. skein_spawn and skein_spawn_with of a thread that would exceed
 * it block, without migrating, until there is room for some. But when nothing else on this node can run, the limit
 * gives way, since all may wait for a thread that is not there yet. Threads that arrive from other nodes count, and are
 * not refused. Returns 0. Does not block. */
SKEIN_NOMIGRATE int skein_bundle_limit_set(struct skein_bundle *bundle, uint64_t most);

/* The bundle's own data, which `open` has set. */
SKEIN_NOMIGRATE void *skein_bundle_data(const struct skein_bundle *bundle);
SKEIN_NOMIGRATE void skein_bundle_data_set(struct skein_bundle *bundle, void *data);

/* Of the threads that bundles of the caller's hold, `change` more (or, below 0, fewer) are held back: they do not run
 * before something else has happened. They do not count as ready then, so a worker that has no other thread may sleep,
 * a node with no other one counts as having nothing to do, and nobody tries to steal them. Only threads that have
 * begun. */
SKEIN_NOMIGRATE void skein_bundle_hold_back(int64_t change);

/* For handlers: forwards the event `processor idle` to another bundle. */
SKEIN_NOMIGRATE struct skein_tcb *skein_bundle_idle(struct skein_bundle *bundle, unsigned worker);

/* The number of workers of this node, and the number of the one that runs the calling thread (which may change at any
 * migration point). */
SKEIN_NOMIGRATE unsigned skein_workers(void);
SKEIN_NOMIGRATE unsigned skein_worker(void);

/* Events of the program's own. A name has one number on this node; 0 without memory. */
typedef unsigned skein_event_t;
SKEIN_NOMIGRATE skein_event_t skein_event(const char *name);
/* handler(bundle, argument, context) is called for `event`. A bundle has one handler for each event, and NULL removes
 * it. */
typedef void (*skein_event_handler)(struct skein_bundle *bundle, void *argument, void *context);
SKEIN_NOMIGRATE int skein_bundle_on(struct skein_bundle *bundle, skein_event_t event, skein_event_handler handler,
                                    void *context);
/* Tells the bundle of an event; without a handler its parent is told, and so on. Returns 1 if some bundle has handled
 * it. The handler is called at once, on the caller's stack, so here it may do what the caller may. */
int skein_bundle_raise(struct skein_bundle *bundle, skein_event_t event, void *argument);

/* Ariadne's scheduler customisation: four functions, called one at a time. getReadyThread may return NULL.
 * putTopThread and getNamedThread may be NULL; without getNamedThread, no thread can be pushed or stolen by name. */
struct skein_ariadne {
  struct skein_tcb *(*getReadyThread)(void *context);
  void (*putReadyThread)(void *context, struct skein_tcb *thread);
  void (*putTopThread)(void *context, struct skein_tcb *thread);
  struct skein_tcb *(*getNamedThread)(void *context, skein_thread_t id);
  void *context;
};
/* Makes a bundle that is scheduled by these functions. The struct is the caller's and must outlive the bundle. */
SKEIN_NOMIGRATE struct skein_bundle *skein_bundle_create_ariadne(const char *name, const struct skein_ariadne *calls,
                                                                 struct skein_bundle *parent);

#ifdef __cplusplus
}
#endif
#endif
