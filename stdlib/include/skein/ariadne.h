/* The names of Ariadne, so that its programs compile (Mascarenhas and Rego, *Ariadne: Architecture of a Portable
 * Threads System Supporting Thread Migration*, Table I and Figures 2, 7, 10 and 12; docs/sources.md). New programs use
 * <skein/skein.h>, which says more of what went wrong.
 *
 * What differs, and why:
 *
 *  - Processes of one machine that share memory are workers of one node here. So `sh_process_id` is 0, all memory of
 * the process is shared, and create_scheduler() has nothing to do: ready threads are in one place for all workers.
 *  - Stacks have the size that the run gives them (SKEIN_OPTIONS=stack=); sizes are accepted, and mean nothing.
 *  - The arguments of a_create are checked against the function's type, and their numbers of kinds are not needed.
 *  - The compiler finds the addresses of a thread's stack, so a_updatep() has nothing to do.
 *  - Calls that return nothing end the program with a message if they fail, since the program could not know.
 *
 * All calls are for Skein threads. Those that say so may block; all but the queries may migrate. */
#ifndef SKEIN_ARIADNE_H
#define SKEIN_ARIADNE_H

#include <skein/bundle.h>
#include <skein/pack.h>
#include <skein/sync.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thread_t {
  skein_thread_t id;
} thread_t;
#ifdef __cplusplus
#define ASELF (thread_t{0})
#else
#define ASELF ((thread_t){0}) /* the caller */
#endif

enum { TINY, SMALL, MEDIUM, LARGE, HUGE_STACK }; /* the paper's HUGE is a macro of <math.h> */

/* --- initialisation and exit --- */

/* Called by main, which goes on as a thread of that priority. From here on the thread with the greatest priority runs,
 * of equal ones the first in order, on all nodes. Blocks. */
void ariadne(thread_t *main_thread, int priority, int stack_size);
/* Called by main: waits until all threads that a_create has made, on any node, have ended. */
void a_exit(void);
/* At most so many threads live on this node: who creates more waits. The second number, of stacks that are kept, means
 * nothing. */
void a_limit(int threads, int kept);
static inline void a_buffer(int type, int size) { (void)type, (void)size; }
/* Threads of the same priority take turns of that length, if the program has polls (-fskein-polls=loops). */
void a_defslice(int type, int priority, int seconds, int microseconds);

/* --- control --- */

/* Makes a thread, whose id goes to `*thread` if that is not null. If its priority is greater than the caller's, it runs
 * first. */
#define a_create(thread, function, priority, stack_size, integers, floats, doubles, ...)                               \
  ariadne_created_((thread), skein_spawn_with(SKEIN_ARIADNE_PRIORITY(priority), function, ##__VA_ARGS__), (priority))
#ifdef __cplusplus
extern "C++" inline const skein_attributes *ariadne_attributes_(const skein_attributes &given) { return &given; }
#define SKEIN_ARIADNE_PRIORITY(given) ariadne_attributes_({ariadne_bundle_(), nullptr, 0, (given), 0, 0})
#else
#define SKEIN_ARIADNE_PRIORITY(given) (&(struct skein_attributes){.bundle = ariadne_bundle_(), .priority = (given)})
#endif
struct skein_bundle *ariadne_bundle_(void);
void ariadne_created_(thread_t *thread, skein_thread_t id, int priority);
/* That thread, if it is ready here, or another one of this priority runs before the caller goes on. */
static inline void a_yield(thread_t thread) { skein_yield_to(thread.id); }
static inline void a_yieldc(void) { skein_yield(); }
/* Ends a thread, the caller too, at the next call in which it could wait. Takes a thread_t, or the address of one. */
void ariadne_destroy_(skein_thread_t id);
#ifdef __cplusplus
extern "C++" inline void a_destroy(const thread_t &thread) { ariadne_destroy_(thread.id); }
extern "C++" inline void a_destroy(const thread_t *thread) { ariadne_destroy_(thread->id); }
#else
#define a_destroy(thread)                                                                                              \
  ariadne_destroy_(_Generic((thread), thread_t *: ariadne_id_at_, thread_t: ariadne_id_of_)(thread))
static inline skein_thread_t ariadne_id_at_(thread_t *thread) { return thread->id; }
static inline skein_thread_t ariadne_id_of_(thread_t thread) { return thread.id; }
#endif
/* 0, or SKEIN_ETHREAD: it is not on this node. A caller that makes itself less urgent than others gives way. */
int a_setpri(thread_t thread, int priority);
/* Blocks. */
void a_sleep(int seconds, int microseconds);

/* --- queries --- */

int a_myid(void); /* the number of this node: a D-process */
#define sh_process_id 0
void a_self(thread_t *thread);
int a_ping(thread_t thread); /* 1: it lives, somewhere; 0: it has ended, or never was. Blocks */

/* --- semaphores of this node --- */

typedef struct ariadne_semaphore {
  skein_sem_t semaphore;
} sem;
sem *a_creates(int value);
void a_waits(sem *semaphore); /* blocks */
void a_signals(sem *semaphore);
void a_signalns(sem *semaphore, int times);
void a_signalalls(sem *semaphore);
int a_counts(sem *semaphore); /* how many threads wait */

/* --- migration --- */

/* The caller goes on on another node. Ends the program with the reason if it may not leave, as it would otherwise use
 * the objects of the wrong node. */
void a_migrate(int node);
/* As skein_pack. Returns 0 to the caller, and 1 in the thread that was made of the image. `*image` is freed by free().
 */
int a_thread_pack(thread_t thread, char **image, int *size);
/* Makes a thread of the image, which is ready at once. a_ready_thread takes what this returns, for the program's
 * reader. */
void *a_thread_unpack(const char *image, int size);
static inline void a_ready_thread(void *thread) { (void)thread; }
static inline void a_set_migrate(thread_t thread) { (void)thread; }
static inline void a_reset_migrate(thread_t thread) { (void)thread; }
static inline void a_add_migrated(void) {}
static inline void a_updatep(void *pointer) { (void)pointer; }

/* --- schedulers of the program (Figure 7) --- */

typedef struct skein_tcb tca;
/* From here on these functions decide which of the threads that are made on this node is next. They are called one at a
 * time, and may neither block nor migrate. putTopThread gets a thread that is to run next; without it putReadyThread
 * does. Without getNamedThread threads cannot be yielded to. Threads of such a scheduler stay on their node, as others
 * know nothing of it (<skein/bundle.h> has schedulers that all nodes know). */
void a_create_scheduler(tca *(*getReadyThread)(void), void (*putReadyThread)(tca *thread),
                        void (*putTopThread)(tca *thread), tca *(*getNamedThread)(thread_t thread));

/* --- memory that is shared by the processes of a machine --- */

static inline void a_set_shared(int key) { (void)key; }
static inline void a_shared_begin(int processes) { (void)processes; }
static inline void a_shared_exit(void) {}
static inline void create_scheduler(void) {}
void *shmcreate(int key, int bytes, int permissions, int *id); /* zeroed */
void shmfree(void *segment, int id);
void *shmemalloc(int bytes);
void shmemfree(void *block);

#ifdef __cplusplus
}
#endif
#endif
