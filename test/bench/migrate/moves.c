/* What moving threads costs, by operation and size of the live stack: the measured half of Figure 4 of TR-97-054, and
 * of Figures 19 to 21 of the first seed.
 *
 *   skein run -n NODES moves OPERATION THREADS KIB...       (SKEIN_OPTIONS=workers=1,steal=off)
 *
 * prints "KIB NS" for each size; NS is the median of nine rounds of so many threads; in a round it is the median of
 * single moves, but for those with -many and prefetch, where it is the whole by their number:
 *
 *   push        a thread pushes itself to the next node, round and round: from call to return          (figures 4, 21)
 *   steal       a thread that has been stolen steals the next one: from call to its first instruction  (figures 4, 20)
 *   push-start  what skein_push_start takes of the node that calls it; the threads leave meanwhile     (figure 4)
 *   steal-start what skein_steal_any_from_start takes of the node that calls it                        (figure 4)
 *   push-many   per thread, when all are pushed by skein_push_any                                      (figure 4)
 *   steal-many  per thread, when all are stolen from one node, 64 at a time, two raids under way      (figure 4)
 *   prefetch    the same from two nodes at once (three nodes)                                          (figure 4)
 *   put, get    KIB of another node's memory, by skein_put, skein_get: no thread moves                 (figure 19)
 *
 * Threads that are to be taken *sit* on node 0: they have run, have KIB KiB of integers in a frame, and are ready; main
 * holds the only worker, asleep in the kernel, so none runs again before it is elsewhere. There it checks the integers.
 */
#include <skein/bundle.h>
#include <skein/messages.h>
#include <skein/migration.h>
#include <skein/shared.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9, MOST = 1000, MOST_KIB = 16 };
enum operation { PUSH, STEAL, PUSH_START, STEAL_START, PUSH_MANY, STEAL_MANY, PREFETCH, PUT, GET, OPERATIONS };
static const char *const operations[] = {"push",       "steal",    "push-start", "steal-start", "push-many",
                                         "steal-many", "prefetch", "put",        "get"};

SKEIN_BUNDLE(sitters, &skein_bundle_fifo)
static skein_sem_t seated = SKEIN_SEM_INITIALIZER(0); /* each node's own */

struct chain { /* in shared memory of node 0 */
  long left;
  double begin, end;
  double stamp[MOST + 1]; /* when it begins, and each time one has moved */
};

SKEIN_NOMIGRATE static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void must(int code, const char *what) {
  if (code) {
    fprintf(stderr, "moves: %s: %s\n", what, skein_error_text());
    exit(1);
  }
}

static const struct skein_choice one = {.states = SKEIN_READY, .most = 1};

/* Waits until it is taken; then, as a link of a chain, takes the next one. */
__attribute__((noinline)) static void sit(int home, skein_shared struct chain *chain) {
  skein_sem_signal(&seated);
  while (skein_node() == home)
    skein_yield();
  if (!chain)
    return;
  chain->stamp[chain->left] = now_ns();
  if (--chain->left > 0)
    must(skein_steal_any_from(&one, home, NULL), "skein_steal_any_from");
  else
    chain->end = now_ns();
}

__attribute__((noinline)) static void walk(int hops, skein_shared struct chain *chain) {
  chain->stamp[0] = now_ns();
  for (int i = 1; i <= hops; i++) {
    must(skein_push_self((skein_node() + 1) % skein_nodes()), "skein_push_self");
    chain->stamp[i] = now_ns();
  }
}

/* Calls `what` below a frame with KIB KiB of live integers. */
#define BALLAST(KIB)                                                                                                   \
  __attribute__((noinline)) static void below_##KIB(int number, skein_shared struct chain *chain, int walks) {         \
    volatile unsigned long ballast[KIB * 128 + 1];                                                                     \
    for (int i = 0; i < KIB * 128; i++)                                                                                \
      ballast[i] = (unsigned long)i * 0x9E3779B97F4A7C15u;                                                             \
    (walks ? walk : sit)(number, chain);                                                                               \
    for (int i = 0; i < KIB * 128; i++)                                                                                \
      if (ballast[i] != (unsigned long)i * 0x9E3779B97F4A7C15u) {                                                      \
        fprintf(stderr, "moves: word %d of the stack is damaged\n", i);                                                \
        exit(1);                                                                                                       \
      }                                                                                                                \
  }
BALLAST(0)
BALLAST(1)
BALLAST(2)
BALLAST(4)
BALLAST(8)
BALLAST(16)

static void begin(int kib, int number, skein_shared struct chain *chain, int walks) {
  switch (kib) {
  case 0:
    return below_0(number, chain, walks);
  case 1:
    return below_1(number, chain, walks);
  case 2:
    return below_2(number, chain, walks);
  case 4:
    return below_4(number, chain, walks);
  case 8:
    return below_8(number, chain, walks);
  default:
    return below_16(number, chain, walks);
  }
}

static void seat(skein_thread_t *threads, int count, int kib, skein_shared struct chain *chain) {
  struct skein_attributes attributes = {.bundle = sitters()};
  for (int i = 0; i < count; i++)
    if (!(threads[i] = skein_spawn_with(&attributes, begin, kib, skein_node(), chain, 0)))
      must(1, "skein_spawn_with");
  for (int i = 0; i < count; i++)
    skein_sem_wait(&seated);
}

static skein_pending_t raid(enum operation how, const struct skein_choice *choice) {
  static const int sources[] = {0, 1};
  skein_pending_t pending =
      how == PREFETCH ? skein_prefetch_start(choice, sources, 2) : skein_steal_any_from_start(choice, 0);
  if (!pending)
    must(1, operations[how]);
  return pending;
}

/* On another node than the threads: takes them, and measures how long it took. */
static void take(enum operation how, int count, skein_shared struct chain *chain) {
  must(skein_push_self(how == PREFETCH ? 2 : 1), "skein_push_self");
  chain->left = -1;
  while (chain->left < 0) /* until they sit */
    skein_sleep_ns(100000);
  if (how == STEAL) {
    chain->begin = now_ns();
    must(skein_steal_any_from(&one, 0, NULL), "skein_steal_any_from");
    return;
  }
  skein_pending_t pending[count];
  double start = now_ns();
  if (how == STEAL_START) {
    for (int i = 0; i < count; i++) {
      double before = now_ns();
      pending[i] = skein_steal_any_from_start(&one, 0);
      chain->stamp[i] = now_ns() - before;
    }
    double end = now_ns();
    for (int i = 0; i < count; i++)
      must(skein_pending_wait(pending[i]), "skein_pending_wait");
    chain->end = end;
  } else {
    const struct skein_choice many = {.states = SKEIN_READY, .most = 64};
    /* One raid more than is waited for is always under way, so that no time is lost while a question travels. */
    skein_pending_t first = raid(how, &many), second = raid(how, &many);
    for (unsigned taken = 0, came; taken < (unsigned)count; taken += came) {
      came = 0;
      if (skein_pending_wait_count(first, &came) == SKEIN_EDEAD)
        must(1, operations[how]);
      first = second;
      second = raid(how, &many);
    }
    chain->end = now_ns();
    skein_pending_forget(first);
    skein_pending_forget(second);
  }
  chain->begin = start;
}

/* For two sources: seats the threads of the other one. */
static void seat_there(int count, int kib, skein_shared int *state) {
  must(skein_push_self(1), "skein_push_self");
  skein_thread_t threads[count];
  seat(threads, count, kib, NULL);
  *state = 1;
  while (*state == 1)
    usleep(100);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(const skein_shared double *values, int count) {
  double sorted[count];
  for (int i = 0; i < count; i++)
    sorted[i] = values[i];
  qsort(sorted, (size_t)count, sizeof *sorted, by_size);
  return sorted[count / 2];
}

/* The median of the times between one stamp and the next. */
static double median_step(skein_shared double *stamp, int steps) {
  for (int i = 0; i < steps; i++)
    stamp[i] = stamp[i + 1] > stamp[i] ? stamp[i + 1] - stamp[i] : stamp[i] - stamp[i + 1];
  return median_of(stamp, steps);
}

static double round_of(enum operation how, int count, int kib, skein_shared struct chain *chain,
                       skein_shared int *state) {
  skein_thread_t threads[count];
  if (how == PUSH) {
    must(skein_join(skein_spawn(begin, kib, count, chain, 1)), "skein_join");
    return median_step(chain->stamp, count);
  }
  int mine = how == PREFETCH ? count / 2 : count;
  chain->end = 0;
  chain->left = 0;
  *state = 0;
  if (how == PREFETCH) {
    skein_spawn(seat_there, count - mine, kib, state);
    while (!*state)
      skein_sleep_ns(100000);
  }
  if (how != PUSH_START && how != PUSH_MANY) {
    skein_spawn(take, how, count, chain);
    while (chain->left == 0) /* it has left when they sit */
      skein_sleep_ns(100000);
  }
  seat(threads, mine, kib, how == STEAL ? chain : NULL);
  chain->left = count;
  if (how == PUSH_START) {
    for (int i = 0; i < mine; i++) {
      double before = now_ns();
      skein_pending_forget(skein_push_start(threads[i], 1));
      chain->stamp[i] = now_ns() - before;
    }
    chain->end = now_ns();
  } else if (how == PUSH_MANY) {
    const struct skein_choice all = {.states = SKEIN_READY, .most = 1024};
    chain->begin = now_ns();
    for (unsigned moved = 0, now; moved < (unsigned)mine; moved += now)
      must(skein_push_any(&all, 1, &now), "skein_push_any");
    chain->end = now_ns();
  }
  while (chain->end == 0)
    usleep(100); /* the worker is busy, but the processor is not */
  *state = 2;
  must(skein_quiesce(), "skein_quiesce");
  if (how == STEAL) /* the stamps go backwards, from stamp[count], the first to arrive */
    return median_step(chain->stamp + 1, count - 1);
  if (how == PUSH_START || how == STEAL_START)
    return median_of(chain->stamp, count);
  return (chain->end - chain->begin) / count;
}

/* On node 1. On the heap, as `here`: globals are searched for addresses of the stack before each move, which takes 20
 * to 40 us a MiB. */
SKEIN_THREADED_HANDLER(open_window, message) {
  char *there = malloc(MOST_KIB << 10);
  skein_window_t window = there ? skein_window_open(there, MOST_KIB << 10) : 0;
  skein_reply(message, &window, sizeof window);
}

static double copy_round(enum operation how, int count, int kib, skein_shared struct chain *chain) {
  static skein_window_t window;
  static char *here;
  if (!here && !(here = malloc(MOST_KIB << 10)))
    must(1, "malloc");
  if (!window)
    must(skein_call(1, &open_window, NULL, 0, &window, sizeof window, NULL), "skein_call");
  size_t bytes = kib ? (size_t)kib << 10 : 8;
  for (int i = 0; i < count; i++) {
    double before = now_ns();
    must(how == GET ? skein_get(here, window, 0, bytes) : skein_put(window, 0, here, bytes), operations[how]);
    chain->stamp[i] = now_ns() - before;
  }
  return median_of(chain->stamp, count);
}

int main(int argc, char **argv) {
  int count = argc > 3 ? atoi(argv[2]) : 0;
  enum operation how = 0;
  while (argc > 3 && how < OPERATIONS && strcmp(argv[1], operations[how]))
    how++;
  if (how == OPERATIONS || count < 2 || count > MOST || skein_nodes() < 2) {
    fprintf(stderr, "usage: skein run -n NODES moves OPERATION THREADS KIB...\n");
    return 2;
  }
  skein_stealing_set(0);
  skein_shared struct chain *chain = skein_shared_alloc(0, sizeof *chain);
  skein_shared int *state = skein_shared_alloc(0, sizeof *state);
  for (int i = 3; i < argc; i++) {
    double ns[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
      double value = how == PUT || how == GET ? copy_round(how, count, atoi(argv[i]), chain)
                                              : round_of(how, count, atoi(argv[i]), chain, state);
      if (round >= 0)
        ns[round] = value;
    }
    qsort(ns, ROUNDS, sizeof *ns, by_size);
    printf("%s %.1f\n", argv[i], ns[ROUNDS / 2]);
  }
  return 0;
}
