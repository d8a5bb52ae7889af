/* A scheduling policy of one's own, in fifty lines: threads begin late. Those that have begun go first, so that few of
 * them have a stack at a time, however many there are. After 64 turns one begins all the same, so that threads which
 * yield until a new one has done something get on. A thread that yields lets another one run, if only a new one. */
#include <skein/bundle.h>
#include <skein/skein.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct queue {
  struct skein_tcb *first, *last;
};
static struct queue begun, fresh;
static unsigned turns;
static atomic_flag locked = ATOMIC_FLAG_INIT;

SKEIN_NOMIGRATE static void put(struct queue *queue, struct skein_tcb *thread) {
  *(queue->first ? &queue->last->next : &queue->first) = thread;
  queue->last = thread;
}

SKEIN_NOMIGRATE static struct skein_tcb *take(struct queue *queue) {
  struct skein_tcb *thread = queue->first;
  if (thread) {
    queue->first = thread->next;
    thread->next = NULL;
  }
  return thread;
}

SKEIN_NOMIGRATE static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
    ;
}
SKEIN_NOMIGRATE static void unlock(void) { atomic_flag_clear_explicit(&locked, memory_order_release); }

SKEIN_NOMIGRATE static void ready(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) {
  (void)bundle, (void)worker;
  lock();
  put(skein_tcb_started(thread) ? &begun : &fresh, thread);
  unlock();
}

SKEIN_NOMIGRATE static struct skein_tcb *next(struct skein_bundle *bundle, unsigned worker) {
  (void)bundle, (void)worker;
  lock();
  struct skein_tcb *thread = ++turns > 64 ? take(&fresh) : NULL;
  if (!thread)
    thread = take(&begun);
  if (!thread)
    thread = take(&fresh);
  if (thread && !skein_tcb_started(thread))
    turns = 0;
  unlock();
  return thread;
}

static const struct skein_bundle_events events = {.name = "late", .thread_unblocked = ready, .processor_idle = next};
SKEIN_BUNDLE(late, &events)
SKEIN_BUNDLE(in_order, &skein_bundle_fifo)

/* As the library's, but a thread that has begun is ready where it ran last, whose caches still hold its stack. */
static void where_it_ran(struct skein_bundle *bundle, struct skein_tcb *thread, unsigned worker) {
  skein_bundle_local.thread_unblocked(bundle, thread, skein_tcb_started(thread) ? thread->worker : worker);
}

static struct skein_bundle *affinity(void) {
  struct skein_bundle_events *events = malloc(sizeof *events);
  if (!events)
    abort();
  *events = skein_bundle_local;
  events->name = "affinity";
  events->thread_unblocked = where_it_ran;
  return skein_bundle_create("affinity", events, NULL);
}

static _Atomic int living, most;

static void work(void) {
  int now = ++living;
  if (now > most)
    most = now;
  for (int i = 0; i < 3; i++)
    skein_yield();
  living--;
}

static int most_at_once(struct skein_bundle *bundle) {
  enum { THREADS = 1000 };
  skein_thread_t threads[THREADS];
  struct skein_attributes attributes = {.bundle = bundle};
  most = 0;
  for (int i = 0; i < THREADS; i++)
    threads[i] = skein_spawn_with(&attributes, work);
  for (int i = 0; i < THREADS; i++)
    skein_join(threads[i]);
  return most;
}

int main(void) {
  printf("in order: %d of 1000 threads had begun at once\n", most_at_once(in_order()));
  printf("late: %d\n", most_at_once(late()));
  printf("affinity: %d\n", most_at_once(affinity()));
  return 0;
}
