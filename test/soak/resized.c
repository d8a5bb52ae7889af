/* Thousands of threads compute while nodes come to their run and leave it, as a script wants it (resizes.py). What they
 * compute does not depend on that, and each keeps an account that no other keeps: so a thread that is lost, that runs
 * twice, or that goes on with something else than it had, is found.
 *
 *     plain      compute, and yield between two steps; so they are nearly always ready
 *     sleepers   sleep between two rounds
 *     parents    let a child compute a part of each round, and wait for it
 *     keepers    have a list in their private heap and an address of their stack in it, and change it in each round
 *
 * All go on with further rounds, whose results they know, until the last change is over.
 *
 *     resized THREADS ROUNDS FILE     FILE: its lines say "nodes N", which is asked for, and in the end "over"
 */

// RUN: %python %S/resizes.py --build %build --runs 3 --threads 1000

#include <skein/deaths.h>
#include <skein/heap.h>
#include <skein/nodes.h>
#include <skein/shared.h>
#include <skein/sync.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { threads_most = 100000, steps = 12, entries = 10 };

/* What all know of each thread, on the node where it was made known first. */
struct account {
  int rounds; /* those it has begun */
  int ended;
};
struct world {
  int over, wrong, rounds;
  long children;
  skein_shared struct account *accounts;
};
SKEIN_PRIVATE skein_shared struct world *world;
SKEIN_PRIVATE long own_rounds;

static void failed(const char *what, long number, long got, long wanted) {
  if (__atomic_fetch_add(&world->wrong, 1, __ATOMIC_SEQ_CST) < 20)
    printf("resized: node %d: %s of thread %ld: %ld instead of %ld\n", skein_node(), what, number, got, wanted);
}

static uint64_t mixed(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

/* A round's result, quickly; the same as computed() has. */
static uint64_t known(uint64_t of) {
  for (int step = 0; step < steps; step++)
    of = mixed(of + (uint64_t)step);
  return of;
}

/* The value is on the stack, and is reached by its address. */
static uint64_t computed(uint64_t of) {
  uint64_t at[steps + 1], *value = at;
  *value = of;
  for (int step = 0; step < steps; step++, value++) {
    skein_yield();
    value[1] = mixed(*value + (uint64_t)step);
  }
  return at[steps];
}

static int64_t child(skein_shared struct world *of, uint64_t value) {
  world = of;
  __atomic_fetch_add(&world->children, 1, __ATOMIC_RELAXED);
  return (int64_t)computed(value);
}

/* A ring in the private heap, which is turned by one in each round; its values lead to the stack and are sums of it. */
struct entry {
  struct entry *next;
  const uint64_t *begin;
  uint64_t value;
};

static struct entry *make_ring(const uint64_t *begin) {
  struct entry *last = NULL, *first = NULL;
  for (uint64_t i = 0; i < entries; i++) {
    struct entry *entry = skein_malloc(sizeof *entry);
    *entry = (struct entry){last, begin, i};
    last = entry;
    first = first ? first : entry;
  }
  first->next = last;
  return first;
}

static void check_ring(const struct entry *ring, const uint64_t *begin, long number) {
  uint64_t sum = 0;
  for (int i = 0; i < entries; i++, ring = ring->next) {
    sum += ring->value;
    if (ring->begin != begin)
      failed("an address in the heap", number, (long)ring->begin, (long)begin);
  }
  if (sum != entries * (entries - 1) / 2)
    failed("the heap", number, (long)sum, entries * (entries - 1) / 2);
}

static uint64_t one_round(int kind, uint64_t value, struct entry **ring, const uint64_t *begin, long number) {
  int64_t result;
  skein_thread_t other;
  switch (kind) {
  case 1:
    skein_sleep_ns(1000000);
    return computed(value);
  case 2:
    other = skein_spawn(child, world, value);
    if (!other || skein_join_result(other, &result) != SKEIN_OK) {
      failed(skein_error_text(), number, 0, 0);
      return 0;
    }
    return (uint64_t)result;
  case 3:
    check_ring(*ring, begin, number);
    *ring = (*ring)->next;
    return computed(value);
  default:
    return computed(value);
  }
}

static int64_t lives(skein_shared struct world *of, long number) {
  world = of;
  skein_shared struct account *account = &world->accounts[number];
  const int rounds = world->rounds, kind = number % 8 == 7 ? 2 : number % 8 >= 5 ? 3 : number % 8 == 4 ? 1 : 0;
  const uint64_t begin = mixed((uint64_t)number);
  struct entry *ring = kind == 3 ? make_ring(&begin) : NULL;
  uint64_t result = begin;
  for (int round = 0; round < rounds || !__atomic_load_n(&world->over, __ATOMIC_RELAXED); round++) {
    const int before = __atomic_fetch_add(&account->rounds, 1, __ATOMIC_RELAXED);
    if (before != round || own_rounds != round)
      failed("the rounds", number, before, round);
    own_rounds++;
    const uint64_t from = round < rounds ? result : begin + (uint64_t)round;
    const uint64_t got = one_round(kind, from, &ring, &begin, number);
    if (round < rounds)
      result = got;
    else if (got != known(from))
      failed("a result", number, (long)got, (long)known(from));
  }
  for (int i = 0; i < entries && ring; i++) {
    struct entry *next = ring->next;
    skein_free(ring);
    ring = next;
  }
  __atomic_fetch_add(&account->ended, 1, __ATOMIC_SEQ_CST);
  return (int64_t)result;
}

/* Does what the lines say that have come since the last time. */
static void hear(FILE *lines) {
  int nodes;
  char line[100];
  clearerr(lines);
  for (long at = ftell(lines); fgets(line, sizeof line, lines); at = ftell(lines)) {
    if (!strchr(line, '\n')) { /* the rest of it comes later */
      fseek(lines, at, SEEK_SET);
      return;
    }
    if (sscanf(line, "nodes %d", &nodes) == 1 && skein_nodes_request(nodes) != SKEIN_OK)
      failed(skein_error_text(), 0, 0, 0);
    if (!strcmp(line, "over\n"))
      __atomic_store_n(&world->over, 1, __ATOMIC_RELAXED);
  }
}

static skein_thread_t all[threads_most];

int main(int count, char **arguments) {
  const long threads = count == 4 ? atol(arguments[1]) : 0;
  FILE *lines = count == 4 ? fopen(arguments[3], "r") : NULL;
  if (threads < 1 || threads > threads_most || !lines) {
    fprintf(stderr, "usage: %s THREADS ROUNDS FILE\n", arguments[0]);
    return 2;
  }
  skein_main_stays(1);
  world = skein_shared_alloc(0, sizeof *world);
  world->rounds = atoi(arguments[2]);
  world->accounts = skein_shared_alloc(skein_nodes() - 1, sizeof *world->accounts * (size_t)threads);
  for (long i = 0; i < threads; i++)
    if (!(all[i] = skein_spawn(lives, world, i)))
      failed(skein_error_text(), i, 0, 0);
  fprintf(stderr, "resized: %ld threads compute\n", threads);
  while (!world->over) {
    hear(lines);
    skein_sleep_ns(5000000);
  }
  uint64_t sum = 0;
  for (long i = 0; i < threads; i++) {
    int64_t result = 0;
    if (skein_join_result(all[i], &result) != SKEIN_OK)
      failed(skein_error_text(), i, 0, 0);
    sum = mixed(sum + (uint64_t)result);
  }
  long rounds = 0;
  for (long i = 0; i < threads; i++) {
    rounds += world->accounts[i].rounds;
    if (world->accounts[i].ended != 1)
      failed("the ends", i, world->accounts[i].ended, 1);
  }
  fprintf(stderr, "resized: %ld rounds, %ld of them by children\n", rounds, world->children);
  printf("resized: %ld threads, %d wrong: %016lx\n", threads, world->wrong, (unsigned long)sum);
  return world->wrong != 0;
}
