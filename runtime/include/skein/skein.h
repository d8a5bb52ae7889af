/* Skein: C threads that move.
 *
 * A thread is spawned on the node that asks for it, runs on one of its workers (one per core), and may be moved to
 * another node at any *migration point*: a call to a function that is not a plain leaf, `skein_yield`, `skein_join`, or
 * a poll. Pointers into its own stack, functions, globals' addresses and `skein_shared` pointers stay right wherever it
 * lands. `main` is the first thread, on node 0; the program ends when it has returned and no thread lives anywhere.
 *
 * Functions that return int return 0 for success or a SKEIN_E* code; `skein_error_text()` then says in words what
 * happened to the calling thread, where, and what to do. Sources: Active Threads and the migration library of the seeds
 * (docs/design.md, Sources). */
#ifndef SKEIN_SKEIN_H
#define SKEIN_SKEIN_H

#include <skein/private.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In structs of functions that a program fills in by name: 0 in C++, too, without a warning. */
#ifdef __cplusplus
#define SKEIN_UNLESS_GIVEN = {}
#else
#define SKEIN_UNLESS_GIVEN
#endif

/* A function that, with all it calls, never reaches a migration point: calls to it cost nothing. Checked where the
 * function is defined: an error names the calls that lead to one. Functions of Skein that have it may be called
 * anywhere, also in such functions. */
#define SKEIN_NOMIGRATE __attribute__((annotate("skein-nomigrate")))
/* The same, believed without a check, for what the compiler cannot see: a call through a pointer, say. If it is not
 * true, the thread stays where it is while the function is on its stack. */
#define SKEIN_ASSUME_NOMIGRATE __attribute__((annotate("skein-assume-nomigrate")))

/* Names a thread for ever and on every node. 0 is no thread. */
typedef uint64_t skein_thread_t;

enum {
  SKEIN_OK = 0,
  SKEIN_EPINNED = 1, /* the thread may not move now: a foreign frame, an unproved call, ... */
  SKEIN_EPOINTER,    /* a live pointer leads to memory that stays behind (heap, another stack, nothing) */
  SKEIN_ENODE,       /* no such node */
  SKEIN_EDEAD,       /* the node died */
  SKEIN_EREFUSED,    /* the other node refused the image: build-id, version or checksum */
  SKEIN_ETHREAD,     /* no such thread here, or it runs, or is blocked on something that pins it */
  SKEIN_EEMPTY,      /* nothing to steal */
  SKEIN_EMEMORY,     /* out of memory or stacks */
  SKEIN_EBUSY,       /* it would have to wait; or it is in use, and cannot be destroyed */
  SKEIN_ETIME,       /* the time is over */
  SKEIN_ELOCK,       /* misuse of a lock: locked by its holder, unlocked by somebody else, ... */
};

/* Start function(args...) as a new thread on this node. At most 6 integer or pointer and 8 floating-point arguments;
 * no structs by value. Checked against the function's type. Returns its id, or 0 with an error text. Blocks, without
 * migrating, only where a limit on threads is reached (skein_bundle_limit_set). */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments" /* so that -pedantic is happy */
#define skein_spawn(function, ...) skein_spawn_((void (*)(void))(function), 0, ##__VA_ARGS__)
#pragma clang diagnostic pop
/* Recognised and replaced by the compiler, which says what the function returns; without skeincc it does not link. */
SKEIN_NOMIGRATE skein_thread_t skein_spawn_(void (*function)(void), unsigned result, ...) __attribute__((nothrow));

/* What a new thread may differ in. All zero: as skein_spawn. */
struct skein_attributes {
  struct skein_bundle *bundle; /* NULL: that of the calling thread */
  const char *name;            /* for reports; at most 15 characters are kept. NULL: none */
  uint64_t stamp;              /* time stamp, for bundles that order by it */
  int priority;                /* greater is more urgent, for bundles that order by it */
  int node;                    /* SKEIN_ON(n): there; the caller waits until it has arrived. 0: here */
  int worker;                  /* SKEIN_ON(n): on worker n of that node only, nowhere else, until it leaves by itself */
};
#define SKEIN_ON(number) ((number) + 1)
/* skein_spawn with attributes, which are read during the call. 0 with an error text if the thread could not be created
 * as wanted; none exists then. Blocks and may migrate if another node is asked for; else as
 * skein_spawn. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#define skein_spawn_with(attributes, function, ...)                                                                    \
  skein_spawn_with_(attributes, (void (*)(void))(function), 0, ##__VA_ARGS__)
/* The same, but the thread does not begin before skein_start. It lives meanwhile: the program does not end without it,
 * and a limit on threads counts it. Blocks only where a limit is reached. */
#define skein_create(attributes, function, ...) skein_create_(attributes, (void (*)(void))(function), 0, ##__VA_ARGS__)
#pragma clang diagnostic pop
skein_thread_t skein_spawn_with_(const struct skein_attributes *attributes, void (*function)(void), unsigned result,
                                 ...) __attribute__((nothrow));
skein_thread_t skein_create_(const struct skein_attributes *attributes, void (*function)(void), unsigned result, ...)
    __attribute__((nothrow));

/* Let a thread begin that skein_create has made on this node, on the node that its attributes name: the caller waits
 * until it has arrived there. SKEIN_ETHREAD: there is none here that waits for it. What that node says against it
 * otherwise (SKEIN_EREFUSED, SKEIN_ENODE: no such worker, ...) leaves the thread as it is. Blocks and may migrate if
 * another node is asked for. */
int skein_start(skein_thread_t thread);

/* Wait until the thread has ended, wherever either is. Blocks, may migrate. SKEIN_EDEAD if it died with its node. */
int skein_join(skein_thread_t thread);

/* The same, and `*to` becomes what the thread's function returned, as if by assignment: an integer (_Bool only of a
 * _Bool) from an integer, a pointer from a pointer, a float or double from either. After skein_exit(result) it is that
 * word, after a cancel all ones (-1, or a NaN). A result is kept until the thread has been joined (by this or
 * skein_join): all who wait for it then get it, and who comes later is too late (SKEIN_ETHREAD). A pointer to the
 * program's functions and variables, or to shared memory, is right on every node; others only on the node where the
 * thread ended. `to` is left alone unless 0 is returned. */
#define skein_join_result(thread, to) skein_join_result_(thread, to, sizeof *(to), __builtin_classify_type(*(to)))
/* What skein_join left for the calling thread. Does not block. */
SKEIN_NOMIGRATE int skein_joined_(void *to, size_t bytes, int type_class);
static inline int skein_join_result_(skein_thread_t thread, void *to, size_t bytes, int type_class) {
  int code = skein_join(thread);
  return code ? code : skein_joined_(to, bytes, type_class);
}

/* Nobody will ask for the thread's result: it is forgotten at its end, or now. It can still be waited for. Needed only
 * for threads that return something and are never joined, of which the runtime otherwise remembers some words each.
 * SKEIN_ETHREAD: there is and was no such thread. Does not block. */
int skein_detach(skein_thread_t thread);

/* End the calling thread, from any depth; `result` is the program's status if it is main. Its stack is unwound as by an
 * exception: C++ destructors run, and in C what __attribute__((cleanup)) names, with -fexceptions; a catch (...) must
 * throw on, and a noexcept function ends the program. */
void skein_exit(uint64_t result) __attribute__((noreturn));

/* End a thread, wherever it is, at its next point: where it blocks (skein_join, skein_sleep_ns, the calls of
 * <skein/sync.h> that say so) or yields; in a program without an unwinder (C without -fexceptions) at polls, too. It
 * ends as by skein_exit(SKEIN_CANCELLED). Not while it holds a lock of <skein/sync.h>: then at the first point after
 * the last unlock. Who waits for a condition gets the mutex back before destructors run. A thread that waits for
 * another node (skein_push and its kin, shared memory, skein_semaphore_t) is not disturbed meanwhile. One that never
 * ran ends without running. Does not block; skein_join tells when it has ended. SKEIN_ETHREAD: there is and was no such
 * thread (as far as this node knows, if it would be another one's). */
SKEIN_NOMIGRATE int skein_cancel(skein_thread_t thread);
#define SKEIN_CANCELLED UINT64_MAX

/* Let others run. May migrate. */
void skein_yield(void);

/* Let a thread that is ready on this node run next on this worker. SKEIN_ETHREAD, and nothing happens, if it is not, or
 * is bound to another worker. May migrate. */
int skein_yield_to(skein_thread_t thread);

/* Priority and time stamp, for bundles that order by them; of a thread on this node. SKEIN_ETHREAD: no such thread
 * here. Do not block. */
SKEIN_NOMIGRATE int skein_priority_set(skein_thread_t thread, int priority);
SKEIN_NOMIGRATE int skein_stamp_set(skein_thread_t thread, uint64_t stamp);

/* The name given at its creation, "" if none; of a thread on this node, else NULL. `to` has room for 16 bytes;
 * returned. */
SKEIN_NOMIGRATE char *skein_name(skein_thread_t thread, char *to);

/* Id of the calling thread. */
SKEIN_NOMIGRATE skein_thread_t skein_self(void);

/* Number of this node (0 is where main started), and of all nodes of the run. */
SKEIN_NOMIGRATE int skein_node(void);
SKEIN_NOMIGRATE int skein_nodes(void);

/* Move the calling thread to `node` and go on there. Blocks until the thread has arrived or stays. */
int skein_push_self(int node);

/* Move a thread that is ready (not running, not blocked) on this node to `node`. Blocks until it arrived or stays. One
 * that runs in another worker leaves at its next poll, if the program was compiled with them (-fskein-polls=loops). */
int skein_push(skein_thread_t thread, int node);

/* Ask any node, or one, for a ready thread, and run it here. Blocks for the answer; SKEIN_EEMPTY if there was none. */
int skein_steal(void);
int skein_steal_from(int node);

/* Idle workers steal from other nodes by themselves. On at start; switched for the whole run (other nodes hear of it a
 * moment later; from here nothing is stolen any more when this returns). Does not block. */
SKEIN_NOMIGRATE void skein_stealing_set(int on);

/* Why the last call of this thread failed: one line, in words, or "". Valid until the thread's next Skein call. */
SKEIN_NOMIGRATE const char *skein_error_text(void);
/* "SKEIN_EPINNED" and so on. Does not block; for any int. */
SKEIN_NOMIGRATE const char *skein_error_name(int code);

/* Counters of this node, or of a peer (blocks for the answer). */
struct skein_statistics {
  uint64_t threads_spawned;
  uint64_t threads_ended;
  uint64_t threads_sent; /* threads that left this node, by push or steal */
  uint64_t threads_received;
  uint64_t threads_stolen; /* of those received, the ones this node asked for */
  uint64_t
      threads_at_other_address; /* of those received with a stack, the ones whose stack lies elsewhere than before */
  uint64_t moves_refused;
  uint64_t bytes_sent; /* images, both kinds */
  uint64_t bytes_received;
  uint64_t pointers_relocated; /* words changed on this node */
  uint64_t image_delta;        /* load address of this node's program - node 0's (0 on node 0) */
  uint64_t steals_answered;
  uint64_t steal_answer_ns_max;     /* longest time from the departure of a steal request to its answer */
  uint64_t threads_at_same_address; /* of those received with a stack, the ones whose stack has kept its address */
};
int skein_statistics_get(int node, struct skein_statistics *to);

#ifdef __cplusplus
}
#endif
#endif
