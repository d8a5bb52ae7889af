/* A program that writes the same, whatever befalls it: what it writes is a function of its arguments and of the number
 * of nodes. So whoever kills its nodes, and goes back to a checkpoint, can tell whether anything was lost or done twice
 * (checkpoint_kills.py).
 *
 * What it knows lies in all that a process has: stacks of threads that move from node to node at each step, globals of
 * nodes, blocks of malloc, locks of the C library with others waiting for them, shared memory, buffers of stdio, a file
 * that is written bit by bit.
 *
 *     main         says at each step what all have come to, on standard output and in the file, which it seldom flushes
 *     travellers   move at each step, and carry what they have come to on their stacks
 *     keepers      one on each node: replace some of their blocks, and look whether all others are as they were
 *     rivals       one on each node: want the lock that the keeper holds while it sleeps
 *
 *     remembers STEPS FILE
 */

// RUN: %python %S/checkpoint_kills.py --build %build --kills 4 --only remembers

#include <pthread.h>
#include <skein/global.h>
#include <skein/migration.h>
#include <skein/nodes.h>
#include <skein/shared.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { travellers = 12, blocks = 300, replaced = 20, most_bytes = 3000, step_ns = 4000000 };

struct world {
  skein_global_barrier_t begin, end;
  skein_global_mutex_t mutex;
  long sum, entered;
  int steps, wrong;
};

/* Each node has its own. */
static SKEIN_NODE_LOCAL unsigned char *block_of[blocks];
static SKEIN_NODE_LOCAL size_t bytes_of[blocks];
static SKEIN_NODE_LOCAL pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SKEIN_NODE_LOCAL long locked;

static unsigned long mix(unsigned long a, unsigned long b) {
  unsigned long x = (a + 1) * 0x9e3779b97f4a7c15 ^ (b + 1) * 0xc2b2ae3d27d4eb4f;
  x ^= x >> 29, x *= 0xbf58476d1ce4e5b9;
  return x ^ x >> 32;
}

static void must(skein_shared struct world *world, int code, const char *what) {
  if (code != SKEIN_OK) {
    fprintf(stderr, "remembers: node %d: %s: %d: %s\n", skein_node(), what, code, skein_error_text());
    __atomic_fetch_add(&world->wrong, 1, __ATOMIC_SEQ_CST);
  }
}
#define MUST(call) must(world, call, #call)

static void add(skein_shared struct world *world, unsigned long what) {
  MUST(skein_global_mutex_lock(world->mutex));
  const long before = world->sum;
  skein_yield();
  world->sum = before + (long)(what & 0xffffffff);
  world->entered++;
  MUST(skein_global_mutex_unlock(world->mutex));
}

static void travel(skein_shared struct world *world, int me) {
  unsigned long own[16] = {0}, come_to = (unsigned long)me;
  const int steps = world->steps;
  for (int step = 0; step < steps; step++) {
    MUST(skein_global_barrier_wait(world->begin));
    MUST(skein_push_self((me + step) % skein_nodes()));
    own[step % 16] = mix(come_to, (unsigned long)step);
    come_to = mix(own[step % 16], own[(step + 5) % 16]);
    add(world, come_to);
    MUST(skein_global_barrier_wait(world->end));
  }
}

static void fill(int which, size_t bytes, int step) {
  free(block_of[which]);
  block_of[which] = malloc(bytes);
  bytes_of[which] = bytes;
  for (size_t i = 0; i < bytes; i++)
    block_of[which][i] = (unsigned char)mix((unsigned long)step, i);
}

/* Whether a block is as it was made at that step. */
static int as_made(int which, int step) {
  for (size_t i = 0; i < bytes_of[which]; i++)
    if (block_of[which][i] != (unsigned char)mix((unsigned long)step, i))
      return 0;
  return 1;
}

static void keep(skein_shared struct world *world, int node) {
  short made_at[blocks];
  for (int i = 0; i < blocks; i++) {
    fill(i, 1 + mix((unsigned long)node, (unsigned long)i) % most_bytes, 0);
    made_at[i] = 0;
  }
  const int steps = world->steps;
  for (int step = 0; step < steps; step++) {
    MUST(skein_global_barrier_wait(world->begin));
    pthread_mutex_lock(&lock);
    unsigned long sum = 0;
    for (int i = 0; i < replaced; i++) {
      const int which = (int)(mix((unsigned long)(step * replaced + i), (unsigned long)node) % blocks);
      fill(which, 1 + mix((unsigned long)which, (unsigned long)step) % most_bytes, step);
      made_at[which] = (short)step;
    }
    MUST(skein_sleep_ns(step_ns / 4));
    for (int i = 0; i < blocks; i++) {
      if (!as_made(i, made_at[i])) {
        fprintf(stderr, "remembers: node %d: block %d of step %d is not as it was\n", node, i, made_at[i]);
        __atomic_fetch_add(&world->wrong, 1, __ATOMIC_SEQ_CST);
      }
      sum = mix(sum, bytes_of[i]);
    }
    locked++;
    pthread_mutex_unlock(&lock);
    add(world, sum);
    MUST(skein_global_barrier_wait(world->end));
  }
}

static void rival(skein_shared struct world *world, int node) {
  const int steps = world->steps;
  for (int step = 0; step < steps; step++) {
    MUST(skein_global_barrier_wait(world->begin));
    pthread_mutex_lock(&lock);
    locked++;
    pthread_mutex_unlock(&lock);
    MUST(skein_global_barrier_wait(world->end));
    if (step == steps - 1 && locked < 2 * steps - 1) {
      fprintf(stderr, "remembers: node %d: the lock was had %ld times\n", node, locked);
      __atomic_fetch_add(&world->wrong, 1, __ATOMIC_SEQ_CST);
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 3 || atoi(argv[1]) < 1) {
    fprintf(stderr, "usage: %s STEPS FILE\n", argv[0]);
    return 2;
  }
  FILE *file = fopen(argv[2], "w");
  skein_shared struct world *world = skein_shared_alloc(0, sizeof *world);
  if (!file || !world) {
    fprintf(stderr, "%s: %s: no file, or no memory\n", argv[0], argv[2]);
    return 1;
  }
  const int nodes = skein_nodes(), threads = travellers + 2 * nodes;
  world->steps = atoi(argv[1]);
  world->begin = skein_global_barrier_create(0, (unsigned)threads + 1);
  world->end = skein_global_barrier_create(nodes - 1, (unsigned)threads + 1);
  world->mutex = skein_global_mutex_create(nodes / 2);
  skein_thread_t thread[travellers + 2 * 64];
  for (int i = 0; i < travellers; i++)
    thread[i] = skein_spawn(travel, world, i);
  for (int node = 0; node < nodes; node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
    thread[travellers + 2 * node] = skein_spawn_with(&there, keep, world, node);
    thread[travellers + 2 * node + 1] = skein_spawn_with(&there, rival, world, node);
  }
  long last = 0;
  for (int step = 0; step < world->steps; step++) {
    MUST(skein_global_barrier_wait(world->begin));
    MUST(skein_sleep_ns(step_ns));
    MUST(skein_global_barrier_wait(world->end));
    const long sum = world->sum;
    printf("step %d: %ld, %ld more\n", step, sum, sum - last);
    fprintf(file, "%d %ld %ld\n", step, sum, world->entered);
    if (mix((unsigned long)step, 3) % 7 == 0)
      fflush(stdout);
    if (mix((unsigned long)step, 5) % 11 == 0)
      fflush(file);
    last = sum;
  }
  for (int i = 0; i < threads; i++)
    MUST(skein_join(thread[i]));
  const int wrong = world->wrong;
  printf("remembers: %d nodes, %d steps, %ld, %d wrong\n", nodes, world->steps, world->sum, wrong);
  return fclose(file) != 0 || wrong != 0;
}
