/* Skein: C threads that move.
 *
 * A thread is spawned on the node of the caller, runs on one of its workers (one for each core), and may be moved to
 * another node at any *migration point*: a call to a function that is not a plain leaf, `skein_yield`, `skein_join`, or
 * a poll. Pointers into its own stack, functions, globals' addresses and `skein_shared` pointers stay right wherever it
 * goes. `main` is the first thread, on node 0. The program ends when it has returned and no thread lives on any node.
 *
 * Functions that return int return 0 for success or a SKEIN_E* code; `skein_error_text()` then says in words what
 * happened to the calling thread, where, and what to do. Sources: Active Threads and the migration library of the seeds
 * (docs/sources.md). */
#ifndef SKEIN_SKEIN_H
#define SKEIN_SKEIN_H

#include <skein/private.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For structs of functions that a program fills in by name: in C++, too, members that are not named are 0, without a
 * warning. */
#ifdef __cplusplus
#define SKEIN_UNLESS_GIVEN = {}
#else
#define SKEIN_UNLESS_GIVEN
#endif

/* The annotations are attributes of skeincc, which may also be written as such: [[skein::nomigrate]] in C23 and C++,
 * __attribute__((skein_nomigrate)) in all. Other compilers read this header without them. */
#ifdef __SKEIN__
#define SKEIN_ATTRIBUTE(name) __attribute__((skein_##name))
#else
#define SKEIN_ATTRIBUTE(name)
#endif

/* Marks a function that, with all it calls, never reaches a migration point: calls to it cost nothing. This is checked
 * where the function is defined, and an error names the calls that lead to a migration point. Functions of Skein with
 * this mark may be called anywhere, also in such functions. */
#define SKEIN_NOMIGRATE SKEIN_ATTRIBUTE(nomigrate)
/* The same, but believed without a check, for what the compiler cannot see, such as a call through a pointer. If it is
 * not true, the thread stays where it is while the function is on its stack. */
#define SKEIN_ASSUME_NOMIGRATE SKEIN_ATTRIBUTE(assume_nomigrate)
/* Marks a function that is to be as fast as plain C: it is compiled as clang does it, without homes and maps, and not
 * inlined into others. A thread in it keeps the address of its stack, so it moves to nodes of the same host, but not
 * with stacks=relocate or image=any. -fskein-moves=same does the same for a file or a program. */
#define SKEIN_MOVES_SAME SKEIN_ATTRIBUTE(moves_same)
/* Marks a variable of which each node is meant to have its own, such as a cache or a statistic: -Wskein-global is
 * quiet. */
#define SKEIN_NODE_LOCAL SKEIN_ATTRIBUTE(node_local)
/* Marks a function in which a thread begins: that skein_spawn can start it is checked where it is declared. */
#define SKEIN_ENTRY SKEIN_ATTRIBUTE(entry)
/* Marks a function or variable for which the programmer answers: the rules of docs/rules.md leave it alone. What the
 * compiler and the runtime check stays checked. */
#define SKEIN_UNTRACKED SKEIN_ATTRIBUTE(untracked)

/* The id names a thread for ever and on every node. 0 is no thread. */
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
  SKEIN_EBUSY,       /* the call would have to wait; or the object is in use, and cannot be destroyed */
  SKEIN_ETIME,       /* the time is over */
  SKEIN_ELOCK,       /* misuse of a lock: locked by its holder, unlocked by another thread, ... */
  SKEIN_ECLOSED,     /* the channel is closed */
  SKEIN_ELEAVES,     /* that node is about to leave the run, or has left it (<skein/nodes.h>) */
};

/* The function as skein_spawn_ takes it. In C++ a closure gets an answer that can be understood. */
#ifdef __cplusplus
extern "C++" {
template <typename F> constexpr void (*skein_entry_(F *function))(void) { return (void (*)(void))function; }
template <typename F, int (*)[__is_class(F) ? 1 : -1] = nullptr> constexpr void (*skein_entry_(const F &))(void) {
  static_assert(sizeof(F) == 0, "skein_spawn starts functions; skein::thread of <skein/thread.hpp> starts closures, "
                                "such as lambdas, with what they have captured");
  return nullptr;
}
}
#else
#define skein_entry_(function) ((void (*)(void))(function))
#endif

/* Starts function(args...) as a new thread on this node, with at most 6 integer or pointer and 8 floating-point
 * arguments, and no structs by value. The arguments are checked against the function's type. Returns its id, or 0 with
 * an error text. Blocks, without migrating, only if a limit on threads is reached (skein_bundle_limit_set). */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments" /* so that -pedantic is happy */
#define skein_spawn(function, ...) skein_spawn_(skein_entry_(function), 0, ##__VA_ARGS__)
#pragma clang diagnostic pop
/* The compiler recognises this call and completes it by the class of the result. Without skeincc the program does not
 * link. */
SKEIN_NOMIGRATE skein_thread_t skein_spawn_(void (*function)(void), unsigned result, ...) __attribute__((nothrow));

/* What a new thread may differ in. With all members zero it is as by skein_spawn. */
struct skein_attributes {
  struct skein_bundle *bundle; /* NULL: that of the calling thread */
  const char *name;            /* for reports; at most 15 characters are kept. NULL: none */
  uint64_t stamp;              /* time stamp, for bundles that order by it */
  int priority;                /* greater is more urgent, for bundles that order by it */
  int node;   /* SKEIN_ON(n): it begins on node n, and the caller waits until it has arrived. 0: here */
  int worker; /* SKEIN_ON(n): it runs only on worker n of that node, until it moves itself away */
};
#define SKEIN_ON(number) ((number) + 1)
/* skein_spawn with attributes, which are read during the call. Returns 0 with an error text if the thread could not be
 * created as wanted; no thread exists then. Blocks and may migrate if another node is asked for; else like skein_spawn.
 */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#define skein_spawn_with(attributes, function, ...)                                                                    \
  skein_spawn_with_(attributes, skein_entry_(function), 0, ##__VA_ARGS__)
/* The same, but the thread does not begin before skein_start. It lives meanwhile: the program does not end without it,
 * and a limit on threads counts it. Blocks only if a limit is reached. */
#define skein_create(attributes, function, ...) skein_create_(attributes, skein_entry_(function), 0, ##__VA_ARGS__)
#pragma clang diagnostic pop
skein_thread_t skein_spawn_with_(const struct skein_attributes *attributes, void (*function)(void), unsigned result,
                                 ...) __attribute__((nothrow));
skein_thread_t skein_create_(const struct skein_attributes *attributes, void (*function)(void), unsigned result, ...)
    __attribute__((nothrow));

/* Lets a thread begin that skein_create has made on this node, on the node that its attributes name: the caller waits
 * until it has arrived there. SKEIN_ETHREAD: no thread of this id waits here to be started. If the other node refuses
 * it (SKEIN_EREFUSED, SKEIN_ENODE: no such worker, ...), the thread stays as it is. Blocks and may migrate if another
 * node is asked for. */
int skein_start(skein_thread_t thread);

/* Waits until the thread has ended, wherever either of the two is. Blocks, may migrate. SKEIN_EDEAD if it died with its
 * node. */
int skein_join(skein_thread_t thread);

/* The same, and `*to` becomes what the thread's function returned, as if by assignment: an integer (_Bool only from a
 * _Bool) from an integer, a pointer from a pointer, a float or double from either. After skein_exit(result) it is that
 * word, after a cancel all ones (-1, or a NaN). A result is kept until the thread has been joined (by this or by
 * skein_join): all threads that wait for it then get it, and one that comes later gets SKEIN_ETHREAD. A pointer to the
 * program's functions and variables, or to shared memory, is right on every node; others only on the node where the
 * thread ended. `to` is left alone unless 0 is returned. */
#define skein_join_result(thread, to) skein_join_result_(thread, to, sizeof *(to), __builtin_classify_type(*(to)))
/* Takes what skein_join left for the calling thread. Does not block. */
SKEIN_NOMIGRATE int skein_joined_(void *to, size_t bytes, int type_class);
static inline int skein_join_result_(skein_thread_t thread, void *to, size_t bytes, int type_class) {
  int code = skein_join(thread);
  return code ? code : skein_joined_(to, bytes, type_class);
}

/* Says that the thread's result will not be asked for: it is forgotten at its end, or now. The thread can still be
 * waited for. This is needed only for threads that return something and are never joined, of which the runtime
 * otherwise remembers some words each. SKEIN_ETHREAD: there is and was no such thread. Does not block. */
int skein_detach(skein_thread_t thread);

/* Ends the calling thread, from any depth; `result` is the program's status if it is main. Its stack is unwound as by
 * an exception: C++ destructors run, and in C, with -fexceptions, what __attribute__((cleanup)) names. A catch (...)
 * must rethrow, and a noexcept function ends the program. */
void skein_exit(uint64_t result) __attribute__((noreturn));

/* From now on the program does not wait for the calling thread: it ends when all others have, though this one lives.
 * For threads that serve the others. (main is waited for always.) Does not block. */
SKEIN_NOMIGRATE void skein_daemon(void);

/* Ends a thread, wherever it is, at its next cancellation point: where it blocks (skein_join, skein_sleep_ns, the calls
 * of <skein/sync.h> that say so) or yields, and in a program without an unwinder (C without -fexceptions) at polls,
 * too. It ends as by skein_exit(SKEIN_CANCELLED). While it holds a lock of <skein/sync.h> it goes on, to the first such
 * point after the last unlock. A thread that waits for a condition gets the mutex back before destructors run. A thread
 * that waits for another node (skein_push and its variants, shared memory, skein_semaphore_t, a send or a
 * receive for a channel that lives there) is not disturbed meanwhile. One that never ran ends without running. Does not
 * block; skein_join tells when it has ended. SKEIN_ETHREAD: there is and was no such thread (as far as this node knows,
 * if it would be another one's). */
SKEIN_NOMIGRATE int skein_cancel(skein_thread_t thread);
#define SKEIN_CANCELLED UINT64_MAX

/* While the block that follows runs, the thread stays on its node and keeps its addresses: for what is obtained from
 * the process and given back before the end, such as an open file. Every move that is asked for meanwhile is refused
 * with this place as the reason. Regions nest, and end however they are left (goto, return, break; by an exception or
 * skein_exit in C++, and in C with -fexceptions; not by longjmp). A stack that is to grow meanwhile grows without
 * moving. Others run on the worker as usual where the block waits.
 *
 *     SKEIN_PINNED {
 *       int file = open(name, O_RDONLY);
 *       ...
 *     } */
#define SKEIN_PINNED                                                                                                   \
  for (struct skein_pin_ skein_pin_here_                                                                               \
       __attribute__((cleanup(skein_pin_end_), unused)) = skein_pin_begin_(__FILE__ ":" SKEIN_PLACE_(__LINE__));       \
       skein_pin_here_.runs; skein_pin_here_.runs = 0)
#define SKEIN_PLACE_(line) SKEIN_PLACE_TEXT_(line)
#define SKEIN_PLACE_TEXT_(line) #line
struct skein_pin_ {
  const char *place;
  int runs;
};
SKEIN_NOMIGRATE struct skein_pin_ skein_pin_begin_(const char *place);
SKEIN_NOMIGRATE void skein_pin_end_(const struct skein_pin_ *pin);

/* Lets other threads run. May migrate. */
void skein_yield(void);

/* Lets a thread that is ready on this node run next on this worker. SKEIN_ETHREAD, and nothing happens, if it is not
 * ready here, or is bound to another worker. May migrate. */
int skein_yield_to(skein_thread_t thread);

/* Set the priority and the time stamp of a thread on this node, for bundles that order by them. SKEIN_ETHREAD: there is
 * no such thread here. They do not block. */
SKEIN_NOMIGRATE int skein_priority_set(skein_thread_t thread, int priority);
/* The priority of the calling thread. Does not block. */
SKEIN_NOMIGRATE int skein_priority(void);
SKEIN_NOMIGRATE int skein_stamp_set(skein_thread_t thread, uint64_t stamp);

/* The name that a thread on this node was given at its creation, "" if none; NULL for any other thread. `to` has room
 * for 16 bytes, and is returned. */
SKEIN_NOMIGRATE char *skein_name(skein_thread_t thread, char *to);

/* The id of the calling thread. */
SKEIN_NOMIGRATE skein_thread_t skein_self(void);

/* The number of this node (0 is where main started), and how many numbers of nodes are taken, from 0 on: that many
 * nodes have been there so far, those included that have died or left (skein_node_is_there). It grows when a node comes
 * to the run (`skein node add`, <skein/nodes.h>), and each node hears of that a moment earlier or later than the
 * others.
 */
SKEIN_NOMIGRATE int skein_node(void);
SKEIN_NOMIGRATE int skein_nodes(void);

/* Moves the calling thread to `node`, where it goes on. Blocks until the thread has arrived or stays. */
int skein_push_self(int node);

/* Moves a thread that is ready (not running, not blocked) on this node to `node`. Blocks until it has arrived or stays.
 * A thread that another worker runs leaves at its next poll, if the program was compiled with polls
 * (-fskein-polls=loops). */
int skein_push(skein_thread_t thread, int node);

/* Asks any node, or a certain one, for a ready thread, which then runs here. Blocks for the answer; SKEIN_EEMPTY if
 * there was none. */
int skein_steal(void);
int skein_steal_from(int node);

/* Switches for the whole run whether idle workers steal from other nodes by themselves, which they do at start. Other
 * nodes hear of it a moment later; when it is switched off, nothing is stolen from here any more when this returns.
 * Does not block. */
SKEIN_NOMIGRATE void skein_stealing_set(int on);

/* The reason why the last call of this thread failed: one line, in words, or "". Valid until the thread's next Skein
 * call. */
SKEIN_NOMIGRATE const char *skein_error_text(void);
/* The name of a code, such as "SKEIN_EPINNED". Does not block; accepts any int. */
SKEIN_NOMIGRATE const char *skein_error_name(int code);

/* The counters of this node, or of another one (blocks for the answer). */
struct skein_statistics {
  uint64_t threads_spawned;
  uint64_t threads_ended;
  uint64_t threads_sent; /* threads that left this node, by push or steal */
  uint64_t threads_received;
  uint64_t threads_stolen; /* of those received, the ones that this node has asked for */
  uint64_t
      threads_at_other_address; /* of those received with a stack, the ones whose stack lies elsewhere than before */
  uint64_t moves_refused;
  uint64_t bytes_sent; /* of images, in both directions */
  uint64_t bytes_received;
  uint64_t pointers_relocated; /* words changed on this node */
  uint64_t image_delta;        /* the load address of this node's program minus node 0's (0 on node 0) */
  uint64_t steals_answered;
  uint64_t steal_answer_ns_max;     /* longest time from the departure of a steal request to its answer */
  uint64_t threads_at_same_address; /* of those received with a stack, the ones whose stack has kept its address */
  /* The load of the node at this moment, and what it has used so far (the Testbed's measures, section 4.1.3). */
  uint64_t threads_living;
  uint64_t threads_ready;
  uint64_t workers_busy;  /* that have a thread */
  uint64_t cpu_us;        /* processor time of the process, in microseconds */
  uint64_t channels_sent; /* messages over channels that went to other nodes */
  /* Moves with moves=lazy (docs/language.md). */
  uint64_t moves_lazy;    /* of the threads that this node sent, those that left memory behind */
  uint64_t pages_fetched; /* that threads of this node had left elsewhere */
  uint64_t page_faults;   /* accesses that had to wait for such a page */
};
int skein_statistics_get(int node, struct skein_statistics *to);

#ifdef __cplusplus
}
#endif
#endif
