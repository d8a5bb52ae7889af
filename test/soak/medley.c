/* A medley of the whole interface: what soak.c does not use. Rounds of threads that do everything at random, moving
 * between each two steps, and check what every operation promises:
 *
 *     objects over nodes      what a mutex guards; no more tokens than there are; barrier, reduction and broadcast of a
 *                             party whose members are pushed away while they wait; future and latch
 *     results                 of threads that return, exit, are created and started, cancelled or detached
 *     groups                  nested, with more members than fit into the group itself
 *     cancel                  of threads that would never end, wherever they have been taken
 *     messages                plain and threaded handlers, and replies that are handled
 *     images                  of threads with a heap, which go back to them; copies are made of them on other nodes
 *     bundles                 their policies change while threads of all of them run and move
 *     raids                   stealing and pushing with every choice
 *
 * After each round the whole run is at rest (skein_quiesce), and the sums agree.
 *
 *     medley SECONDS [SEED]
 */

// RUN: %python %S/run.py --build %build --program medley --seconds 1 relocate lent delayed workers alone single

#include "now.h"

#include <skein/bundle.h>
#include <skein/deaths.h>
#include <skein/global.h>
#include <skein/heap.h>
#include <skein/messages.h>
#include <skein/migration.h>
#include <skein/pack.h>
#include <skein/par.h>
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SKEIN_BUNDLE(first_in, &skein_bundle_fifo)
SKEIN_BUNDLE(last_in, &skein_bundle_lifo)
SKEIN_BUNDLE(ranked, &skein_bundle_priority)
SKEIN_BUNDLE(eager, &skein_bundle_local)
static struct skein_bundle *(*const bundles[])(void) = {first_in, last_in, ranked, eager};
static const struct skein_bundle_events *const policies[] = {
    &skein_bundle_local, &skein_bundle_fifo, &skein_bundle_lifo, &skein_bundle_priority, &skein_bundle_stamp};
#define COUNT(array) (unsigned)(sizeof array / sizeof *array)

enum { mutexes = 3, tokens = 5, cells = 64, rounds_of_party = 3, party_most = 6, acts_most = 20, generations = 3 };
enum { attempts_most = 5000 }; /* to unpack an image, a millisecond or more apart */

/* What all threads share. */
struct world {
  skein_global_mutex_t mutex[mutexes];
  skein_global_condition_t condition[mutexes];
  long guarded[mutexes]; /* counted by plain accesses, under the mutex */
  long entered[mutexes]; /* the same, by atomic ones */
  skein_semaphore_t tokens;
  int tokens_out;
  long cells[cells]; /* what one loses another gets: 0 in all */
  int born, ended, acts, wrong;
};
SKEIN_PRIVATE skein_shared struct world *world;
SKEIN_PRIVATE long depth;

static void failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void failed(const char *format, ...) {
  char text[400];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (__atomic_fetch_add(&world->wrong, 1, __ATOMIC_SEQ_CST) < 20)
    printf("medley: node %d: %s\n", skein_node(), text);
}

/* Checks that an operation has worked, or has failed in the one way that `allowed` names. */
static bool fine(const char *what, int code, unsigned allowed) {
  if (code != SKEIN_OK && !(allowed >> code & 1))
    failed("%s: error %d: %s", what, code, skein_error_text());
  return code == SKEIN_OK;
}
#define MUST(call) fine(#call, call, 0)
#define MAY(call, error) fine(#call, call, 1u << (error))

static unsigned chance(uint64_t *random, unsigned of) {
  *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
  return (unsigned)(*random >> 33) % of;
}
static int some_node(uint64_t *random) { return (int)chance(random, (unsigned)skein_nodes()); }
static uint64_t fork_off(uint64_t *random) { return (uint64_t)chance(random, 1u << 31) << 20 | 1; }

/* Something may happen at this point. */
static void pause_or_move(uint64_t *random) {
  switch (chance(random, 4)) {
  case 0:
    MAY(skein_push_self(some_node(random)), SKEIN_EPINNED);
    break;
  case 1:
    skein_yield();
    break;
  case 2:
    MUST(skein_sleep_ns(chance(random, 50000)));
    break;
  default:
    break;
  }
}

static struct skein_attributes some_attributes(uint64_t *random) {
  struct skein_attributes attributes = {.name = "medley",
                                        .priority = (int)chance(random, 9) - 4,
                                        .stamp = chance(random, 100),
                                        .bundle = chance(random, 2) ? bundles[chance(random, COUNT(bundles))]() : NULL};
  if (chance(random, 3) == 0)
    attributes.node = SKEIN_ON(some_node(random));
  if (chance(random, 6) == 0)
    attributes.worker = SKEIN_ON((int)chance(random, skein_workers()));
  return attributes;
}

static skein_thread_t spawned(skein_thread_t thread) {
  if (!thread)
    failed("spawn: %s", skein_error_text());
  return thread;
}

/* --- objects over nodes ------------------------------------------------------------------------------------------ */

static void guard(uint64_t *random) {
  const unsigned which = chance(random, mutexes);
  MUST(skein_global_mutex_lock(world->mutex[which]));
  const long before = world->guarded[which];
  pause_or_move(random);
  world->guarded[which] = before + 1;
  __atomic_fetch_add(&world->entered[which], 1, __ATOMIC_SEQ_CST);
  if (chance(random, 2))
    MUST(skein_global_condition_broadcast(world->condition[which]));
  MUST(skein_global_mutex_unlock(world->mutex[which]));
}

static void take_token(uint64_t *random) {
  MUST(skein_semaphore_wait(world->tokens));
  const int out = __atomic_add_fetch(&world->tokens_out, 1, __ATOMIC_SEQ_CST);
  if (out > tokens)
    failed("%d have one of %d tokens", out, tokens);
  pause_or_move(random);
  __atomic_fetch_sub(&world->tokens_out, 1, __ATOMIC_SEQ_CST);
  MUST(skein_semaphore_signal(world->tokens));
}

static void transfer(uint64_t *random) {
  const long much = chance(random, 100);
  __atomic_fetch_sub(&world->cells[chance(random, cells)], much, __ATOMIC_SEQ_CST);
  pause_or_move(random);
  __atomic_fetch_add(&world->cells[chance(random, cells)], much, __ATOMIC_SEQ_CST);
}

/* The objects at which the members of a party meet. */
struct party {
  skein_global_barrier_t barrier;
  skein_reduction_t reduction;
  int members;
  long round_of[party_most];
};

static void celebrate(skein_shared struct world *of, skein_shared struct party *party, int me, uint64_t seed) {
  world = of;
  const int members = party->members;
  for (int round = 1; round <= rounds_of_party; round++) {
    pause_or_move(&seed);
    party->round_of[me] = round;
    MUST(skein_global_barrier_wait(party->barrier));
    for (int i = 0; i < members; i++)
      if (party->round_of[i] != round)
        failed("behind the barrier of round %d a member is in round %ld", round, party->round_of[i]);
    int64_t sums[2] = {me, 1};
    MUST(skein_reduce_int64(party->reduction, SKEIN_REDUCE_ADD, sums, 2));
    if (sums[0] != members * (members - 1) / 2 || sums[1] != members)
      failed("a reduction of %d members: %ld, %ld", members, (long)sums[0], (long)sums[1]);
    long word = me == round % members ? round * 1000 : 0;
    if (word)
      MUST(skein_broadcast_send(party->reduction, &word, sizeof word));
    else
      MUST(skein_broadcast_receive(party->reduction, &word, sizeof word));
    if (word != round * 1000)
      failed("a broadcast brought %ld", word);
    MUST(skein_global_barrier_wait(party->barrier));
  }
}

static void hold_party(uint64_t *random) {
  const int members = 2 + (int)chance(random, party_most - 1);
  skein_shared struct party *party = skein_shared_alloc(some_node(random), sizeof *party);
  if (!party)
    return failed("no memory: %s", skein_error_text());
  party->members = members;
  party->barrier = skein_global_barrier_create(some_node(random), (unsigned)members);
  party->reduction = skein_reduction_create(some_node(random), (unsigned)members);
  skein_thread_t threads[party_most];
  for (int i = 0; i < members; i++) {
    const struct skein_attributes attributes = some_attributes(random);
    threads[i] = spawned(skein_spawn_with(&attributes, celebrate, world, party, i, fork_off(random)));
  }
  for (int i = 0; i < members; i++)
    if (chance(random, 3) == 0) /* while it waits, perhaps */
      fine("push", skein_push(threads[i], some_node(random)), 1u << SKEIN_ETHREAD | 1u << SKEIN_EPINNED);
  for (int i = 0; i < members; i++)
    MUST(skein_join(threads[i]));
  MUST(skein_global_free(party->barrier));
  MUST(skein_global_free(party->reduction));
  MUST(skein_shared_free(party));
}

static void promise(uint64_t *random) {
  const skein_global_future_t future = skein_global_future_create(some_node(random));
  const skein_global_latch_t latch = skein_global_latch_create(some_node(random), 1);
  const long value = chance(random, 100000);
  long got = -1;
  MUST(skein_global_future_set(future, &value, sizeof value));
  pause_or_move(random);
  MUST(skein_global_future_get(future, &got, sizeof got));
  if (got != value)
    failed("a future gave %ld for %ld", got, value);
  MUST(skein_global_latch_down(latch, 1));
  MUST(skein_global_latch_wait(latch));
  MUST(skein_global_free(future));
  MUST(skein_global_free(latch));
}

/* --- results, groups, ends --------------------------------------------------------------------------------------- */

static long whole(skein_shared struct world *of, uint64_t seed, long value) {
  world = of;
  pause_or_move(&seed);
  if (chance(&seed, 5) == 0)
    skein_exit((uint64_t)value);
  pause_or_move(&seed);
  return value;
}
static double half(skein_shared struct world *of, uint64_t seed, double value) {
  world = of;
  pause_or_move(&seed);
  return value / 2;
}

static void ask_results(uint64_t *random) {
  const struct skein_attributes attributes = some_attributes(random);
  const long value = chance(random, 1000000);
  long got = -1;
  const skein_thread_t thread = spawned(skein_spawn_with(&attributes, whole, world, fork_off(random), value));
  pause_or_move(random);
  if (MUST(skein_join_result(thread, &got)) && got != value)
    failed("a thread returned %ld for %ld", got, value);
  double real = -1;
  const skein_thread_t other = spawned(skein_spawn(half, world, fork_off(random), (double)value));
  pause_or_move(random);
  if (chance(random, 3) == 0)
    MUST(skein_detach(other));
  else if (MUST(skein_join_result(other, &real)) && real != (double)value / 2)
    failed("a thread returned %g for %ld", real, value);
}

static void start_or_cancel(uint64_t *random) {
  struct skein_attributes attributes = some_attributes(random);
  const skein_thread_t thread = spawned(skein_create(&attributes, whole, world, fork_off(random), 4711L));
  const bool cancelled = chance(random, 3) == 0;
  if (cancelled)
    MUST(skein_cancel(thread));
  else
    MUST(skein_start(thread));
  pause_or_move(random);
  long got = 0;
  if (MUST(skein_join_result(thread, &got)) && got != (cancelled ? -1 : 4711))
    failed("a created thread returned %ld", got);
}

static void add(skein_shared struct world *of, skein_shared long *to, long much, uint64_t seed) {
  world = of;
  pause_or_move(&seed);
  __atomic_fetch_add(to, much, __ATOMIC_SEQ_CST);
  pause_or_move(&seed);
}

static void work_as_group(uint64_t *random) {
  skein_shared long *sum = skein_shared_alloc(some_node(random), sizeof *sum);
  if (!sum)
    return failed("no memory: %s", skein_error_text());
  long expected = 0;
  SKEIN_PAR (group) {
    for (unsigned left = chance(random, 30); left > 0; left--) {
      const struct skein_attributes attributes = some_attributes(random);
      const long much = chance(random, 50);
      spawned(skein_par_spawn_with(group, &attributes, add, world, sum, much, fork_off(random)));
      expected += much;
    }
  }
  if (*sum != expected)
    failed("a group added %ld to %ld", expected, *sum);
  MUST(skein_shared_free(sum));
}

static void endless(skein_shared struct world *of, unsigned how) {
  world = of;
  skein_sem_t never = SKEIN_SEM_INITIALIZER(0);
  while (skein_deaths() == 0) /* the thread that would cancel it may be lost */
    switch (how % 5) {
    case 0:
      skein_sleep_ns(1000000);
      break;
    /* Where a greater priority, or the last to come, is served first, a thread that only yields keeps all others from
     * running. */
    case 1:
      for (int i = 0; i < 100; i++)
        skein_yield();
      skein_sleep_ns(1000000);
      break;
    case 2:
      skein_sem_wait(&never);
      break;
    case 3:
      skein_sem_timedwait_ns(&never, 100000);
      break;
    default:
      skein_push_self((skein_node() + 1) % skein_nodes());
      skein_sleep_ns(100000);
    }
}

static void end_endless(uint64_t *random) {
  const skein_thread_t thread = spawned(skein_spawn(endless, world, chance(random, 5)));
  pause_or_move(random);
  pause_or_move(random);
  MUST(skein_cancel(thread));
  MUST(skein_join(thread));
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

struct terms {
  long a, b, sum;
  char more[200];
};

SKEIN_HANDLER(add_plainly, message) {
  struct terms terms = *(const struct terms *)message->data;
  terms.sum = terms.a + terms.b;
  skein_reply(message, &terms, sizeof terms);
}

SKEIN_THREADED_HANDLER(add_elsewhere, message) {
  struct terms terms = *(const struct terms *)message->data;
  skein_push_self((int)terms.a % skein_nodes());
  skein_yield();
  terms.sum = terms.a + terms.b;
  skein_reply(message, &terms, sizeof terms);
}

static _Atomic long asked, answered, answered_wrongly; /* each node has its own */

SKEIN_HANDLER(check_answer, message) {
  const struct terms *terms = message->data;
  if (message->status || terms->sum != terms->a + terms->b || message->argument != (uint64_t)terms->a)
    atomic_fetch_add(&answered_wrongly, 1);
  atomic_fetch_add(&answered, 1);
}

struct answers {
  long asked, answered, wrongly;
};
SKEIN_HANDLER(count_answers, message) {
  const struct answers answers = {atomic_load(&asked), atomic_load(&answered), atomic_load(&answered_wrongly)};
  skein_reply(message, &answers, sizeof answers);
}

SKEIN_NOMIGRATE static void note_asked(void) { atomic_fetch_add(&asked, 1); }

static void exchange_messages(uint64_t *random) {
  struct terms terms = {.a = chance(random, 1000), .b = chance(random, 1000)}, reply;
  size_t got;
  MUST(skein_call(some_node(random), &add_plainly, &terms, sizeof terms, &reply, sizeof reply, &got));
  if (got != sizeof reply || reply.sum != terms.a + terms.b)
    failed("a call brought %ld", reply.sum);
  MUST(skein_call(some_node(random), &add_elsewhere, &terms, sizeof terms, &reply, sizeof reply, &got));
  if (got != sizeof reply || reply.sum != terms.a + terms.b)
    failed("a call of a threaded handler brought %ld", reply.sum);
  note_asked();
  MUST(skein_request(some_node(random), &add_plainly, &terms, sizeof terms, &check_answer, (uint64_t)terms.a));
}

/* --- the thread itself ------------------------------------------------------------------------------------------- */

static long fibonacci(uint64_t *random, long n, const long *above) {
  const long here = *above + 1;
  depth++;
  if (chance(random, 40) == 0)
    pause_or_move(random);
  const long result = n < 2 ? n : fibonacci(random, n - 1, &here) + fibonacci(random, n - 2, &here);
  if (here != *above + 1)
    failed("a frame does not lead to the one above");
  depth--;
  return result;
}

static void descend(uint64_t *random) {
  static const long known[] = {5, 8, 13, 21, 34, 55, 89, 144};
  const long top = 0;
  const unsigned which = chance(random, COUNT(known));
  if (fibonacci(random, 5 + which, &top) != known[which] || depth != 0)
    failed("fibonacci(%u)", 5 + which);
}

static void cross_over(uint64_t *random) {
  long **block = skein_malloc(10 * sizeof(long *)), numbers[10];
  for (int i = 0; i < 10; i++)
    numbers[i] = i, block[i] = &numbers[9 - i];
  pause_or_move(random);
  for (int i = 0; i < 10; i++)
    if (*block[i] != 9 - i || block[i] != &numbers[9 - i])
      failed("a block of the heap does not lead to the stack");
  skein_free(block);
}

/* --- images ------------------------------------------------------------------------------------------------------ */

/* An image in shared memory, in pieces that are copied at once. */
struct piece {
  uint64_t words[512];
};
struct kept {
  size_t bytes;
  int only_on; /* SKEIN_ON of the node that alone can unpack it, since a word looks like an address there; 0: all can */
  int backs, finished;
  struct piece pieces[32];
};
static size_t pieces_of(size_t bytes) { return (bytes + sizeof(struct piece) - 1) / sizeof(struct piece); }

/* A copy of it in the caller's own memory. */
static void *fetch(skein_shared struct kept *kept) {
  const size_t pieces = pieces_of(kept->bytes);
  struct piece *image = skein_malloc(pieces * sizeof *image);
  for (size_t i = 0; i < pieces; i++)
    image[i] = kept->pieces[i];
  return image;
}

struct entry {
  struct entry *next;
  long value;
};

/* Whether the image can be unpacked where the caller is. */
static bool fits_here(skein_shared struct kept *kept) {
  return kept->only_on == 0 || kept->only_on == SKEIN_ON(skein_node());
}

/* Its stack, heap and private variables have to be the same whenever it goes on from where it has packed itself. */
static void packs_itself(skein_shared struct world *of, skein_shared struct kept *kept, uint64_t seed, int backs) {
  world = of;
  struct entry *list = NULL;
  const int entries = (int)chance(&seed, 40);
  long sum = 0;
  for (int i = 0; i < entries; i++) {
    struct entry *entry = skein_malloc(sizeof *entry);
    *entry = (struct entry){list, chance(&seed, 1000)};
    sum += entry->value;
    list = entry;
  }
  depth = sum;
  pause_or_move(&seed);
  const skein_thread_t original = skein_self();
  void *image;
  size_t bytes;
  const int side = skein_pack(original, &image, &bytes);
  switch (side) {
  case SKEIN_OK:
    if (pieces_of(bytes) > COUNT(kept->pieces))
      failed("an image of %zu bytes", bytes);
    for (size_t i = 0; i < pieces_of(bytes); i++) {
      struct piece piece = {{0}};
      memcpy(&piece, (const char *)image + i * sizeof piece,
             bytes - i * sizeof piece < sizeof piece ? bytes - i * sizeof piece : sizeof piece);
      kept->pieces[i] = piece;
    }
    kept->bytes = bytes;
    kept->only_on = skein_image_stays(image, bytes) ? SKEIN_ON(skein_node()) : 0;
    free(image);
    image = NULL;
    break;
  case SKEIN_UNPACKED:
    break;
  default: /* a global of libunwind may lead to its stack (unwind_check) */
    fine("pack", side, 1u << SKEIN_EPINNED);
    __atomic_fetch_add(&kept->finished, 1, __ATOMIC_SEQ_CST);
    return;
  }
  if (depth != sum)
    failed("a private variable is %ld and was %ld", depth, sum);
  seed += (uint64_t)__atomic_load_n(&kept->backs, __ATOMIC_SEQ_CST) << 32; /* each time another way */
  pause_or_move(&seed);
  long found = 0;
  while (list) {
    struct entry *next = list->next;
    found += list->value;
    skein_free(list);
    list = next;
  }
  if (found != sum)
    failed("a list sums to %ld instead of %ld", found, sum);
  depth = -1;
  pause_or_move(&seed);
  if (skein_self() == original && __atomic_fetch_add(&kept->backs, 1, __ATOMIC_SEQ_CST) < backs) {
    void *mine = fetch(kept);
    const bool fits = fits_here(kept);
    const int code = skein_roll_back(mine, kept->bytes);
    if (fits || code != SKEIN_EPOINTER)
      failed("roll back: error %d: %s", code, skein_error_text());
  }
  __atomic_fetch_add(&kept->finished, 1, __ATOMIC_SEQ_CST);
}

/* Makes a copy on the node where it begins, and waits for it. Returns how many it made: another may have the memory. */
static long unpacks(skein_shared struct world *of, skein_shared struct kept *kept) {
  world = of;
  void *image = fetch(kept);
  skein_thread_t copy;
  const bool fits = fits_here(kept);
  const bool made = MAY(skein_unpack(image, kept->bytes, &copy), fits ? SKEIN_EBUSY : SKEIN_EPOINTER);
  if (made && !fits)
    failed("an image for node %d was unpacked on node %d", kept->only_on - 1, skein_node());
  skein_free(image);
  if (made)
    MUST(skein_join(copy));
  return made;
}

static skein_thread_t unpacked_on(int node, skein_shared struct kept *kept) {
  const struct skein_attributes there = {.node = SKEIN_ON(node)};
  return spawned(skein_spawn_with(&there, unpacks, world, kept));
}

/* How many copies a thread has made that unpacks. */
static long copies_of(skein_thread_t thread) {
  long made = 0;
  MUST(skein_join_result(thread, &made));
  return made;
}

static void keep_images(uint64_t *random) {
  skein_shared struct kept *kept = skein_shared_alloc(some_node(random), sizeof *kept);
  if (!kept)
    return failed("no memory: %s", skein_error_text());
  kept->bytes = 0;
  kept->only_on = 0;
  kept->backs = kept->finished = 0;
  const struct skein_attributes attributes = some_attributes(random);
  const skein_thread_t thread =
      spawned(skein_spawn_with(&attributes, packs_itself, world, kept, fork_off(random), (int)chance(random, 3)));
  MUST(skein_join(thread));
  long made = 1;
  for (int i = (int)chance(random, 3); i > 0 && kept->bytes; i--) {
    skein_thread_t two[2];
    for (int j = 0; j < 2; j++) /* at once, elsewhere */
      two[j] = unpacked_on(some_node(random), kept);
    long came = copies_of(two[0]) + copies_of(two[1]);
    /* Each may have come before the news that the memory is free, or the two in each other's way. Later, and alone, one
     * gets it. */
    for (int attempt = 0; came == 0 && kept->only_on == 0; attempt++) {
      if (attempt == attempts_most) {
        failed("nobody could unpack an image whose thread has ended, in %d attempts", attempt);
        break;
      }
      MUST(skein_sleep_ns(1000000));
      came = copies_of(unpacked_on(some_node(random), kept));
    }
    made += came;
  }
  if (kept->finished != made)
    failed("%ld threads had an image, and %d have ended", made, kept->finished);
  MUST(skein_shared_free(kept));
}

static void change_policy(uint64_t *random) {
  struct skein_bundle *bundle = chance(random, 4) ? bundles[chance(random, COUNT(bundles))]() : skein_bundle_root();
  MUST(skein_bundle_events_set(bundle, policies[chance(random, COUNT(policies))]));
}

static void raid(uint64_t *random) {
  const struct skein_choice choice = {.states = chance(random, 4), .most = chance(random, 20), .timeout_ms = 1000};
  unsigned moved;
  if (chance(random, 2))
    fine("steal_any", skein_steal_any(&choice, &moved), 1u << SKEIN_EEMPTY | 1u << SKEIN_ETIME);
  else
    fine("push_any", skein_push_any(&choice, some_node(random), &moved),
         1u << SKEIN_EEMPTY | 1u << SKEIN_EPINNED | 1u << SKEIN_ETHREAD | 1u << SKEIN_EPOINTER | 1u << SKEIN_ENODE);
}

static void change_mind(uint64_t *random) {
  MUST(skein_stamp_set(skein_self(), chance(random, 1000)));
  MUST(skein_priority_set(skein_self(), (int)chance(random, 10)));
  skein_stealing_set(chance(random, 8) != 0);
}

static void live(skein_shared struct world *of, uint64_t seed, int children);

static void bear(uint64_t *random, int children) {
  if (children == 0)
    return;
  const struct skein_attributes attributes = some_attributes(random);
  __atomic_fetch_add(&world->born, 1, __ATOMIC_SEQ_CST);
  const skein_thread_t child = spawned(skein_spawn_with(&attributes, live, world, fork_off(random), children - 1));
  if (chance(random, 3) == 0)
    MUST(skein_join(child));
}

static void act(uint64_t *random, int children) {
  static void (*const acts[])(uint64_t *) = {
      guard,       take_token,        transfer, hold_party, promise,       ask_results, start_or_cancel, work_as_group,
      end_endless, exchange_messages, descend,  cross_over, change_policy, raid,        change_mind,     keep_images};
  __atomic_fetch_add(&world->acts, 1, __ATOMIC_RELAXED);
  const unsigned which = chance(random, COUNT(acts) + 1);
  if (which == COUNT(acts))
    bear(random, children);
  else
    acts[which](random);
  pause_or_move(random);
}

static void live(skein_shared struct world *of, uint64_t seed, int children) {
  world = of;
  for (unsigned left = chance(&seed, acts_most); left > 0; left--)
    act(&seed, children);
  __atomic_fetch_add(&world->ended, 1, __ATOMIC_SEQ_CST);
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */

static void check_round(void) {
  long sum = 0;
  for (int i = 0; i < cells; i++)
    sum += world->cells[i];
  if (sum != 0)
    failed("what was transferred sums to %ld", sum);
  for (int i = 0; i < mutexes; i++)
    if (world->guarded[i] != world->entered[i])
      failed("a mutex let %ld in, of whom %ld were alone", world->entered[i], world->guarded[i]);
  if (world->born != world->ended)
    failed("%d were born, %d have ended", world->born, world->ended);
  if (world->tokens_out != 0)
    failed("%d tokens are out", world->tokens_out);
  struct answers all = {0}, one;
  for (int node = 0; node < skein_nodes(); node++) {
    MUST(skein_call(node, &count_answers, NULL, 0, &one, sizeof one, NULL));
    all.asked += one.asked, all.answered += one.answered, all.wrongly += one.wrongly;
  }
  if (all.asked != all.answered || all.wrongly != 0)
    failed("%ld requests, %ld answers, %ld wrong", all.asked, all.answered, all.wrongly);
}

int main(int argc, char **argv) {
  if (argc < 2 || atof(argv[1]) <= 0) {
    fprintf(stderr, "usage: %s SECONDS [SEED]\n", argv[0]);
    return 2;
  }
  const double seconds = atof(argv[1]);
  const uint64_t first_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  uint64_t seed = first_seed * 7919 + 13;
  world = skein_shared_alloc(0, sizeof *world);
  for (int i = 0; i < mutexes; i++) {
    world->mutex[i] = skein_global_mutex_create(i % skein_nodes());
    world->condition[i] = skein_global_condition_create(world->mutex[i]);
  }
  world->tokens = skein_semaphore_create(tokens);
  const double start = now();
  int rounds = 0;
  do {
    rounds++;
    SKEIN_PAR (all) {
      for (int i = 0; i < 12; i++) {
        const struct skein_attributes attributes = some_attributes(&seed);
        __atomic_fetch_add(&world->born, 1, __ATOMIC_SEQ_CST);
        spawned(skein_par_spawn_with(all, &attributes, live, world, fork_off(&seed), generations));
      }
    }
    MUST(skein_quiesce());
    check_round();
  } while (now() - start < seconds && world->wrong == 0);
  printf("medley: seed %llu, %d nodes: %d rounds, %d threads acted %d times, %d wrong\n",
         (unsigned long long)first_seed, skein_nodes(), rounds, world->born, world->acts, world->wrong);
  return world->wrong != 0;
}
