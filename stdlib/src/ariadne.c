/* Ariadne's calls, by Skein's; see <skein/ariadne.h>. */
#include "library.h"

#include "abi/entry_points.h"

#include <skein/ariadne.h>
#include <skein/messages.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *call) {
  fprintf(stderr, "skein: %s: %s\n", call, skein_error_text());
  exit(70);
}
static void must(int code, const char *call) {
  if (code != SKEIN_OK)
    fail(call);
}

/* --- the threads that a_create has made on this node and nobody has joined --- */

static atomic_flag lock = ATOMIC_FLAG_INIT;
static skein_thread_t *made;
static size_t made_count, made_room;

static void note(skein_thread_t id) {
  library_lock(&lock);
  if (made_count == made_room) {
    made_room = made_room ? 2 * made_room : 1024;
    made = realloc(made, made_room * sizeof *made);
    if (!made) {
      fprintf(stderr, "skein: a_create: out of memory\n");
      abort();
    }
  }
  made[made_count++] = id;
  library_unlock(&lock);
}
static skein_thread_t last_made(void) {
  library_lock(&lock);
  const skein_thread_t id = made_count ? made[--made_count] : 0;
  library_unlock(&lock);
  return id;
}

/* Joins them all, also those that are made meanwhile. Returns how many there were. */
static uint64_t join_made(void) {
  uint64_t joined = 0;
  for (skein_thread_t id; (id = last_made()) != 0; joined++)
    skein_join(id);
  return joined;
}
SKEIN_THREADED_HANDLER(skein_ariadne_join, message) {
  const uint64_t joined = join_made();
  skein_reply(message, &joined, sizeof joined);
}

/* Joins those of all nodes, once. */
static uint64_t join_round(void) {
  uint64_t joined = join_made();
  for (int node = 0; node < skein_nodes(); node++) {
    uint64_t there = 0;
    if (node != skein_node())
      must(skein_call(node, &skein_ariadne_join, NULL, 0, &there, sizeof there, NULL), "a_exit");
    joined += there;
  }
  return joined;
}

/* Each thread that lives is in the list of some node, or in a message as an image. So none lives if the lists are empty
 * when no message is under way. */
void a_exit(void) {
  do {
    while (join_round())
      ;
    must(skein_quiesce(), "a_exit");
  } while (join_round());
}

/* --- threads --- */

SKEIN_HANDLER(skein_ariadne_begin, message) {
  skein_bundle_events_set(skein_bundle_root(), &skein_bundle_priority);
  skein_reply(message, NULL, 0);
}

void ariadne(thread_t *main_thread, int priority, int stack_size) {
  (void)stack_size;
  for (int node = 0; node < skein_nodes(); node++)
    must(skein_call(node, &skein_ariadne_begin, NULL, 0, NULL, 0, NULL), "ariadne");
  a_self(main_thread);
  a_setpri(ASELF, priority);
}

void a_limit(int threads, int kept) {
  (void)kept;
  skein_bundle_limit_set(skein_bundle_root(), threads > 0 ? (uint64_t)threads : 0);
}

void a_defslice(int type, int priority, int seconds, int microseconds) {
  (void)type, (void)priority;
  static struct skein_bundle_events events;
  events = skein_bundle_priority;
  const long long milliseconds = seconds * 1000LL + (microseconds + 999) / 1000;
  events.slice_ms = milliseconds > 0 ? (unsigned)milliseconds : SKEIN_NO_SLICES;
  must(skein_bundle_events_set(skein_bundle_root(), &events), "a_defslice");
}

void ariadne_created_(thread_t *thread, skein_thread_t id, int priority) {
  if (!id)
    fail("a_create");
  note(id);
  if (thread)
    thread->id = id;
  if (priority > skein_priority())
    skein_yield();
}

void ariadne_destroy_(skein_thread_t id) {
  if (!id || id == skein_self())
    skein_exit(0);
  must(skein_cancel(id), "a_destroy");
}

int a_setpri(thread_t thread, int priority) {
  const skein_thread_t id = thread.id ? thread.id : skein_self();
  const int code = skein_priority_set(id, priority);
  if (id == skein_self())
    skein_yield(); /* goes on at once if none is more urgent */
  return code;
}

void a_sleep(int seconds, int microseconds) {
  skein_sleep_ns((uint64_t)seconds * 1000000000u + (uint64_t)microseconds * 1000);
}

int a_myid(void) { return skein_node(); }
void a_self(thread_t *thread) {
  if (thread)
    thread->id = skein_self();
}

SKEIN_NOMIGRATE int __skein_lives(uint64_t thread);

SKEIN_HANDLER(skein_ariadne_ping, message) {
  const int lives = __skein_lives(*(const uint64_t *)message->data);
  skein_reply(message, &lives, sizeof lives);
}

int a_ping(thread_t thread) {
  /* Its node of birth knows. */
  const skein_thread_t id = thread.id ? thread.id : skein_self();
  const int birth = (int)(id >> SKEIN_THREAD_NODE_SHIFT);
  int lives = 0;
  if (birth < skein_nodes())
    must(skein_call(birth, &skein_ariadne_ping, &id, sizeof id, &lives, sizeof lives, NULL), "a_ping");
  return lives;
}

/* --- semaphores --- */

sem *a_creates(int value) {
  sem *made_here = malloc(sizeof *made_here);
  if (!made_here) {
    fprintf(stderr, "skein: a_creates: out of memory\n");
    exit(70);
  }
  skein_sem_init(&made_here->semaphore, value > 0 ? (uint64_t)value : 0);
  return made_here;
}
void a_waits(sem *semaphore) { must(skein_sem_wait(&semaphore->semaphore), "a_waits"); }
void a_signals(sem *semaphore) { must(skein_sem_signal(&semaphore->semaphore), "a_signals"); }
void a_signalns(sem *semaphore, int times) {
  if (times > 0)
    must(skein_sem_signal_n(&semaphore->semaphore, (uint64_t)times), "a_signalns");
}
void a_signalalls(sem *semaphore) { must(skein_sem_signal_all(&semaphore->semaphore), "a_signalalls"); }
int a_counts(sem *semaphore) {
  const int64_t count = skein_sem_count(&semaphore->semaphore);
  return count < 0 ? (int)-count : 0;
}

/* --- migration --- */

void a_migrate(int node) { must(skein_push_self(node), "a_migrate"); }

int a_thread_pack(thread_t thread, char **image, int *size) {
  void *bytes;
  size_t count;
  const int side = skein_pack(thread.id ? thread.id : skein_self(), &bytes, &count);
  if (side == SKEIN_UNPACKED)
    return 1;
  must(side, "a_thread_pack");
  *image = bytes;
  *size = (int)count;
  return 0;
}

void *a_thread_unpack(const char *image, int size) {
  skein_thread_t id = 0;
  must(skein_unpack(image, (size_t)size, &id), "a_thread_unpack");
  note(id);
  return (void *)image;
}

/* --- schedulers of the program: the bundle that has Ariadne's up-calls, without their contexts --- */

static struct {
  tca *(*get)(void);
  void (*put)(tca *thread), (*put_top)(tca *thread);
  tca *(*named)(thread_t thread);
  struct skein_bundle *bundle; /* null: none was installed on this node */
} scheduler;

SKEIN_ASSUME_NOMIGRATE static struct skein_tcb *get_ready(void *unused) {
  (void)unused;
  return scheduler.get();
}
SKEIN_ASSUME_NOMIGRATE static void put_ready(void *unused, struct skein_tcb *thread) {
  (void)unused;
  scheduler.put(thread);
}
SKEIN_ASSUME_NOMIGRATE static void put_top(void *unused, struct skein_tcb *thread) {
  (void)unused;
  scheduler.put_top(thread);
}
SKEIN_ASSUME_NOMIGRATE static struct skein_tcb *get_named(void *unused, skein_thread_t id) {
  (void)unused;
  return scheduler.named((thread_t){id});
}

struct skein_bundle *ariadne_bundle_(void) { return scheduler.bundle; }

void a_create_scheduler(tca *(*getReadyThread)(void), void (*putReadyThread)(tca *thread),
                        void (*putTopThread)(tca *thread), tca *(*getNamedThread)(thread_t thread)) {
  static struct skein_ariadne calls;
  calls = (struct skein_ariadne){.getReadyThread = get_ready,
                                 .putReadyThread = put_ready,
                                 .putTopThread = putTopThread ? put_top : NULL,
                                 .getNamedThread = getNamedThread ? get_named : NULL};
  scheduler.get = getReadyThread;
  scheduler.put = putReadyThread;
  scheduler.put_top = putTopThread;
  scheduler.named = getNamedThread;
  if (!scheduler.bundle && !(scheduler.bundle = skein_bundle_create_ariadne("ariadne", &calls, NULL)))
    fail("a_create_scheduler");
}

/* --- memory --- */

void *shmcreate(int key, int bytes, int permissions, int *id) {
  (void)permissions;
  if (id)
    *id = key;
  return calloc(1, (size_t)bytes);
}
void shmfree(void *segment, int id) {
  (void)id;
  free(segment);
}
void *shmemalloc(int bytes) { return malloc((size_t)bytes); }
void shmemfree(void *block) { free(block); }
