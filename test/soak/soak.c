/* Many threads on all nodes that spawn, block, push and steal at random for a while, each with state of every kind that
 * moves. In the end every thread is accounted for, none twice:
 *
 *     gardener (one on every node) --spawn--> life --spawn--> life ...     until the time is over
 *     life: acts at random, checks what it carries, and at its end sends its number to the node where it was born
 *     mover (one on every node): pushes, steals and prefetches, waiting for it or not
 *
 * A life's number is taken before it is spawned, so that one that never ran, got lost or ran twice is seen: the ledger
 * of the node where it was born says how often each number has ended. main asks all nodes until as many have ended as
 * were born, twice with the same answer, so that nobody was missed who was born meanwhile.
 *
 *     soak SECONDS [SEED [LIVES]]       LIVES: how many born on a node may live at the same time
 */

// RUN: %python %S/run.py --build %build --seconds 1 relocate lent reserve shared delayed parked alone single

#include "now.h"

#include <skein/bundle.h>
#include <skein/deaths.h>
#include <skein/heap.h>
#include <skein/messages.h>
#include <skein/migration.h>
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_births = 1 << 24, locks = 4, patience_s = 120 };

SKEIN_BUNDLE(eager, &skein_bundle_local)
SKEIN_BUNDLE(ranked, &skein_bundle_priority)

/* --- each node's own ---------------------------------------------------------------------------------------------- */

static unsigned char *ledger; /* how often each number of this node has ended */
static _Atomic long born, ended, wrong;
static _Atomic bool over;
static skein_mutex_t mutexes[locks], bell_mutex;
static skein_sem_t turnstiles[locks];
static skein_rwlock_t book;
static skein_condition_t bell;
static long pages[locks]; /* what the mutexes protect: always 0 when they are free */

static void failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void failed(const char *format, ...) {
  char text[400];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (atomic_fetch_add(&wrong, 1) < 20)
    printf("soak: node %d: %s\n", skein_node(), text);
}

static inline unsigned allow(int code) { return 1u << code; }

/* Tells how an operation that is tried at random has ended, and which codes are expected. */
static bool tried(const char *what, int code, unsigned allowed) {
  if (code != SKEIN_OK && !(allowed & allow(code)))
    failed("%s: error %d: %s", what, code, skein_error_text());
  return code == SKEIN_OK;
}

/* --- what is sent ------------------------------------------------------------------------------------------------- */

struct account {
  long born, ended, wrong;
};

SKEIN_HANDLER(life_ended, message) {
  long number = *(const long *)message->data;
  /* The first happens only with mutant.py. */
  if (!ledger || number < 0 || number >= atomic_load(&born) || ledger[number] == 255)
    atomic_fetch_add(&wrong, 1);
  else if (ledger[number]++ != 0)
    atomic_fetch_add(&wrong, 1);
  atomic_fetch_add(&ended, 1);
}

SKEIN_HANDLER(count, message) {
  struct account account = {atomic_load(&born), atomic_load(&ended), atomic_load(&wrong)};
  skein_reply(message, &account, sizeof account);
}

SKEIN_HANDLER(stop, message) {
  atomic_store(&over, true);
  skein_reply(message, NULL, 0);
}

/* --- lives -------------------------------------------------------------------------------------------------------- */

struct life {
  uint64_t random;
  long depth; /* frames of `descend` that are alive */
};

struct bead { /* a list on the private heap, whose members lead to the stack */
  struct bead *next;
  struct life *life;
  long value;
};

SKEIN_PRIVATE struct life *mine;
SKEIN_PRIVATE long beads_made;

static unsigned chance(struct life *life, unsigned of) {
  life->random ^= life->random << 13, life->random ^= life->random >> 7, life->random ^= life->random << 17;
  return (unsigned)(life->random >> 33) % of;
}

static void spawn_life(struct life *parent);

/* Frames that lead to each other, and something happens at the deepest. */
static void descend(struct life *life, long *above, int frames) {
  long here = *above + 1, *cells[2] = {above, &here};
  life->depth++;
  if (frames > 0)
    descend(life, &here, frames - 1);
  else if (chance(life, 2))
    tried("push_self", skein_push_self((int)chance(life, (unsigned)skein_nodes())), allow(SKEIN_EPINNED));
  else
    skein_yield();
  life->depth--;
  if (*cells[0] + 1 != *cells[1] || here != *above + 1 || mine != life)
    failed("a frame of %d does not lead to the one above", frames);
}

static void string_beads(struct life *life, int length) {
  struct bead *first = NULL;
  long sum = 0;
  for (int i = 0; i < length; i++) {
    struct bead *bead = skein_malloc(sizeof(struct bead));
    *bead = (struct bead){first, life, chance(life, 1000)};
    sum += bead->value;
    first = bead;
    beads_made++;
    if (chance(life, 8) == 0)
      skein_yield();
  }
  tried("push_self", skein_push_self((int)chance(life, (unsigned)skein_nodes())), allow(SKEIN_EPINNED));
  while (first) {
    struct bead *next = first->next;
    if (first->life != life)
      failed("a bead does not lead to its life");
    sum -= first->value;
    skein_free(first);
    first = next;
  }
  if (sum != 0)
    failed("the beads' sum differs by %ld", sum);
}

/* A holder stays on its node, whatever tries to push it. */
static void hold(struct life *life) {
  unsigned which = chance(life, locks);
  if (!tried("mutex_lock", skein_mutex_timedlock_ns(&mutexes[which], 2000000), allow(SKEIN_ETIME)))
    return;
  int node = skein_node();
  pages[which]++;
  skein_yield();
  if (skein_node() != node || pages[which] != 1)
    failed("the holder of a mutex is not alone, or has moved from %d", node);
  pages[which]--;
  tried("mutex_unlock", skein_mutex_unlock(&mutexes[which]), 0);
}

static void turn(struct life *life) {
  unsigned which = chance(life, locks);
  if (chance(life, 3) == 0)
    tried("sem_signal", skein_sem_signal(&turnstiles[which]), 0);
  else
    tried("sem_wait", skein_sem_timedwait_ns(&turnstiles[which], 100000 + chance(life, 400000)), allow(SKEIN_ETIME));
}

static void read_or_write(struct life *life) {
  bool writes = chance(life, 4) == 0;
  if (tried("rwlock", writes ? skein_rwlock_timedwrite_ns(&book, 2000000) : skein_rwlock_timedread_ns(&book, 2000000),
            allow(SKEIN_ETIME))) {
    skein_yield();
    tried("rwlock_unlock", skein_rwlock_unlock(&book), 0);
  }
}

static void ring(struct life *life) {
  if (!tried("bell's mutex", skein_mutex_timedlock_ns(&bell_mutex, 2000000), allow(SKEIN_ETIME)))
    return;
  if (chance(life, 2))
    tried("signal", skein_condition_signal(&bell), 0);
  else
    tried("condition", skein_condition_timedwait_ns(&bell, &bell_mutex, 300000), allow(SKEIN_ETIME));
  tried("bell's mutex", skein_mutex_unlock(&bell_mutex), 0);
}

static void compute(struct life *life) {
  for (unsigned i = chance(life, 20000); i > 0; i--)
    life->random += life->random >> 9; /* with a poll at the back-edge */
}

static void act(struct life *life) {
  long top = 0;
  switch (chance(life, 11)) {
  case 0:
  case 1:
    descend(life, &top, (int)chance(life, 20));
    break;
  case 2:
    string_beads(life, (int)chance(life, 30));
    break;
  case 3:
    hold(life);
    break;
  case 4:
    turn(life);
    break;
  case 5:
    read_or_write(life);
    break;
  case 6:
    ring(life);
    break;
  case 7:
    tried("sleep", skein_sleep_ns(chance(life, 300000)), 0);
    break;
  case 8:
    compute(life);
    break;
  case 9:
    tried("push_self", skein_push_self((int)chance(life, (unsigned)skein_nodes())), allow(SKEIN_EPINNED));
    break;
  default:
    if (!atomic_load(&over) && chance(life, 2))
      spawn_life(life);
    skein_yield();
  }
}

static void live(int birthplace, long number, uint64_t seed) {
  struct life life = {seed | 1, 0};
  mine = &life;
  for (unsigned acts = chance(&life, 24); acts > 0; acts--)
    act(&life);
  if (life.depth != 0 || mine != &life || beads_made < 0)
    failed("life %ld of node %d is not what it was", number, birthplace);
  tried("life_ended", skein_send(birthplace, &life_ended, &number, sizeof number), 0);
}

/* The caller may move between these two operations, but not in them. */
SKEIN_NOMIGRATE static void birth(int *birthplace, long *number) {
  *birthplace = skein_node();
  *number = atomic_fetch_add(&born, 1);
}

/* Spawns a child, for which its parent waits now and then. */
static void spawn_life(struct life *parent) {
  int birthplace;
  long number;
  birth(&birthplace, &number);
  struct skein_attributes attributes = {.name = "life", .priority = (int)chance(parent, 5)};
  switch (chance(parent, 4)) {
  case 0:
    attributes.bundle = eager();
    break;
  case 1:
    attributes.bundle = ranked();
    break;
  case 2:
    attributes.node = SKEIN_ON((int)chance(parent, (unsigned)skein_nodes()));
    break;
  default:
    break;
  }
  uint64_t seed = parent->random * 0x9e3779b97f4a7c15u;
  skein_thread_t child = skein_spawn_with(&attributes, live, birthplace, number, seed);
  if (!child) {
    failed("spawn: %s", skein_error_text());
    tried("life_ended", skein_send(birthplace, &life_ended, &number, sizeof number), 0);
  } else if (chance(parent, 3) == 0) {
    tried("join", skein_join(child), 0);
  }
}

/* --- who keeps it going ------------------------------------------------------------------------------------------- */

static void garden(uint64_t seed, long lives) {
  struct life self = {seed | 1, 0};
  while (!atomic_load(&over)) {
    if (atomic_load(&born) - atomic_load(&ended) < lives && atomic_load(&born) < most_births - 100000)
      spawn_life(&self);
    else
      tried("sleep", skein_sleep_ns(100000), 0);
    skein_yield();
  }
}

static void move(uint64_t seed) {
  struct life self = {seed | 1, 0};
  unsigned nodes = (unsigned)skein_nodes(), moved;
  const unsigned nothing =
      allow(SKEIN_EEMPTY) | allow(SKEIN_EPINNED) | allow(SKEIN_EPOINTER) | allow(SKEIN_ETIME) | allow(SKEIN_ETHREAD);
  while (!atomic_load(&over)) {
    struct skein_choice which = {.states = chance(&self, 4), .most = chance(&self, 64), .timeout_ms = 2000};
    if (chance(&self, 4) == 0)
      which.bundle = chance(&self, 2) ? eager() : ranked();
    int node = (int)chance(&self, nodes);
    if (node == skein_node())
      node = (node + 1) % (int)nodes;
    skein_pending_t pending = 0;
    switch (chance(&self, 6)) {
    case 0:
      tried("push_any", skein_push_any(&which, node, &moved), nothing);
      break;
    case 1:
      tried("steal_any_from", skein_steal_any_from(&which, node, &moved), nothing);
      break;
    case 2:
      tried("steal_any", skein_steal_any(&which, &moved), nothing);
      break;
    case 3:
      pending = skein_push_any_start(&which, node);
      break;
    case 4:
      pending = skein_steal_any_from_start(&which, node);
      break;
    default:
      pending = skein_prefetch_start(
          &which, (int[]){node, (node + 1) % (int)nodes == skein_node() ? node : (node + 1) % (int)nodes},
          nodes > 2 ? 2 : 1);
    }
    if (pending && chance(&self, 3) == 0)
      skein_pending_forget(pending);
    else if (pending)
      tried("what was started", skein_pending_wait(pending), nothing);
    tried("sleep", skein_sleep_ns(chance(&self, 400000)), 0);
  }
}

static skein_thread_t spawned(skein_thread_t thread) {
  if (!thread)
    failed("spawn: %s", skein_error_text());
  return thread;
}

SKEIN_HANDLER(begin, message) {
  ledger = calloc(most_births, 1);
  if (!ledger)
    failed("no memory for the ledger");
  for (int i = 0; i < locks; i++) {
    skein_mutex_init(&mutexes[i]);
    skein_sem_init(&turnstiles[i], 1);
  }
  skein_mutex_init(&bell_mutex);
  skein_rwlock_init(&book);
  skein_condition_init(&bell);
  skein_reply(message, NULL, 0);
}

static struct account ask_all(const struct skein_handler *handler) {
  struct account sum = {0};
  for (int node = 0; node < skein_nodes(); node++) {
    struct account one = {0};
    tried("call", skein_call(node, handler, NULL, 0, &one, sizeof one, NULL), 0);
    sum.born += one.born, sum.ended += one.ended, sum.wrong += one.wrong;
  }
  return sum;
}

static struct skein_statistics statistics(void) {
  struct skein_statistics sum = {0};
  for (int node = 0; node < skein_nodes(); node++) {
    struct skein_statistics one;
    tried("statistics", skein_statistics_get(node, &one), 0);
    sum.threads_spawned += one.threads_spawned, sum.threads_ended += one.threads_ended;
    sum.threads_sent += one.threads_sent, sum.threads_received += one.threads_received;
    sum.threads_stolen += one.threads_stolen, sum.moves_refused += one.moves_refused;
  }
  return sum;
}

int main(int argc, char **argv) {
  if (argc < 2 || atof(argv[1]) <= 0) {
    fprintf(stderr, "usage: %s SECONDS [SEED [LIVES]]\n", argv[0]);
    return 2;
  }
  double seconds = atof(argv[1]), start = now();
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  long lives = argc > 3 ? atol(argv[3]) : 300;

  ask_all(&begin);
  skein_thread_t keepers[126];
  int kept = 0;
  for (int node = 0; node < skein_nodes() && kept < 126; node++) {
    struct skein_attributes there = {.name = "gardener", .node = SKEIN_ON(node)};
    keepers[kept++] = spawned(skein_spawn_with(&there, garden, seed * 1000003 + (uint64_t)node, lives));
    there.name = "mover";
    if (skein_nodes() > 1)
      keepers[kept++] = spawned(skein_spawn_with(&there, move, seed * 1000033 + (uint64_t)node));
  }

  double told = start;
  while (now() - start < seconds) {
    tried("sleep", skein_sleep_ns(100000000), 0);
    if (now() - told >= 10) {
      struct account sum = ask_all(&count);
      printf("soak: %3.0f s: %ld born, %ld ended, %ld wrong\n", now() - start, sum.born, sum.ended, sum.wrong);
      fflush(stdout);
      told = now();
    }
  }
  ask_all(&stop);
  for (int i = 0; i < kept; i++)
    tried("join", skein_join(keepers[i]), 0);

  struct account before = {-1, 0, 0}, after = ask_all(&count);
  double since = now();
  // A thread that was lost with a node that has died (deaths=survive) never ends.
  while ((after.born != after.ended || after.born != before.born) &&
         now() - since < (skein_deaths() ? 1 : patience_s)) {
    tried("sleep", skein_sleep_ns(20000000), 0);
    before = after;
    after = ask_all(&count);
  }
  skein_stealing_set(0); // main stays while it adds up
  tried("sleep", skein_sleep_ns(50000000), 0);
  struct skein_statistics sum = statistics();
  printf("soak: %ld born, %ld ended, %ld wrong; %llu threads sent, %llu received (%llu stolen), %llu moves refused\n",
         after.born, after.ended, after.wrong, (unsigned long long)sum.threads_sent,
         (unsigned long long)sum.threads_received, (unsigned long long)sum.threads_stolen,
         (unsigned long long)sum.moves_refused);
  bool right = after.born == after.ended && after.wrong == 0 && after.born > 0 &&
               sum.threads_spawned == sum.threads_ended && sum.threads_sent == sum.threads_received;
  if (!right)
    printf("soak: threads spawned %llu, ended %llu\n", (unsigned long long)sum.threads_spawned,
           (unsigned long long)sum.threads_ended);
  printf("soak: seed %llu, %d nodes: %s\n", (unsigned long long)seed, skein_nodes(),
         right ? "every thread is accounted for, none twice" : "NOT every thread is accounted for");
  return right ? 0 : 1;
}
