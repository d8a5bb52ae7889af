/* An n-body problem, all to all (Hara and Taura, *Half-process*, section 5.3.2: 24 x 24 x 24 particles).
 *
 *     node 0  | particles of the lower slabs |     Each thread has some particles of its node. In each step it copies
 *     node 1  | of the upper slabs           |     the positions of all, moves its own, and writes them to the other
 *                                                  array of positions. A barrier divides the steps.
 *
 * The positions lie on all nodes, as two distributed arrays. Each sum is made in one order, so the result is the same
 * to the last bit for any number of nodes and threads; its hash is printed, and with `check` it is compared with a
 * computation by main alone.
 *
 *     nbody [edge [steps [threads on each node [check]]]] */
#include "nbody_kernel.h"

#include <skein/global.h>
#include <skein/heap.h>
#include <skein/shared_array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What all threads have to know. */
struct problem {
  skein_array_t positions[2]; /* of struct position */
  skein_global_barrier_t barrier;
  uint64_t steps, threads; /* of each node */
};

/* Copies all positions, run by run, to three arrays. */
static void gather(const skein_array_t *from, double *all) {
  const size_t count = from->count;
  enum { at_once = 256 };
  struct position some[at_once];
  for (size_t i = 0, n; i < count; i += n) {
    n = skein_array_run(from, i) < at_once ? skein_array_run(from, i) : at_once;
    memcpy(some, (shared struct position *)skein_array_at(from, i), n * sizeof *some);
    for (size_t j = 0; j < n; j++) {
      all[i + j] = some[j].x;
      all[count + i + j] = some[j].y;
      all[2 * count + i + j] = some[j].z;
    }
  }
}

static void compute(shared const struct problem *given, int node, uint64_t number) {
  const struct problem problem = *given;
  const skein_array_t *positions = problem.positions;
  const size_t count = positions->count, mine = skein_array_next(positions, 0, node);
  const size_t there = mine < count ? skein_array_run(positions, mine) : 0;
  const size_t first = mine + there * number / problem.threads, end = mine + there * (number + 1) / problem.threads;
  double *all = skein_malloc(3 * count * sizeof *all);
  struct velocity *velocities = skein_calloc(end - first + 1, sizeof *velocities);
  struct position *moved = skein_calloc(end - first + 1, sizeof *moved);
  if (!all || !velocities || !moved) {
    fprintf(stderr, "nbody: no memory for %zu particles on node %d\n", count, node);
    exit(1);
  }
  for (uint64_t step = 0; step < problem.steps; step++) {
    gather(&positions[step % 2], all);
    nbody_step(all, count, first, end, velocities, moved);
    if (end > first)
      memcpy((shared struct position *)skein_array_at(&positions[1 - step % 2], first), moved,
             (end - first) * sizeof *moved);
    skein_global_barrier_wait(problem.barrier);
  }
  skein_free(moved);
  skein_free(velocities);
  skein_free(all);
}

/* The same by one thread. Whether each position is the same. */
static int sequential(const skein_array_t *result, size_t edge, uint64_t steps) {
  const size_t count = edge * edge * edge;
  double *all = skein_malloc(3 * count * sizeof *all);
  struct velocity *velocities = skein_calloc(count, sizeof *velocities);
  struct position *at = skein_calloc(count, sizeof *at);
  for (size_t i = 0; i < count; i++)
    at[i] = nbody_begin(i, edge);
  for (uint64_t step = 0; step < steps; step++) {
    for (size_t i = 0; i < count; i++) {
      all[i] = at[i].x;
      all[count + i] = at[i].y;
      all[2 * count + i] = at[i].z;
    }
    nbody_step(all, count, 0, count, velocities, at);
  }
  int same = 1;
  for (size_t i = 0; i < count; i++) {
    const struct position other = *(shared struct position *)skein_array_at(result, i);
    same = same && memcmp(&other, &at[i], sizeof other) == 0;
  }
  skein_free(at);
  skein_free(velocities);
  skein_free(all);
  return same;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  const size_t edge = argc > 1 ? (size_t)atoi(argv[1]) : 24;
  const uint64_t steps = argc > 2 ? (uint64_t)atoi(argv[2]) : 10, threads = argc > 3 ? (uint64_t)atoi(argv[3]) : 1;
  if (edge < 1 || threads < 1 || argc > 5) {
    fprintf(stderr, "usage: nbody [edge [steps [threads on each node [check]]]]\n");
    return 2;
  }
  shared struct problem *problem = skein_shared_alloc(0, sizeof *problem);
  const int nodes = skein_nodes();
  struct problem own = {.steps = steps, .threads = threads};
  own.barrier = skein_global_barrier_create(0, (unsigned)nodes * (unsigned)threads);
  for (int i = 0; i < 2; i++)
    if (skein_array_create(&own.positions[i], edge * edge * edge, sizeof(struct position), SKEIN_BLOCKED)) {
      fprintf(stderr, "nbody: %s\n", skein_error_text());
      return 1;
    }
  for (size_t i = 0; i < edge * edge * edge; i++)
    *(shared struct position *)skein_array_at(&own.positions[0], i) = nbody_begin(i, edge);
  *problem = own;

  /* Each thread has its particles on its node. A thief that takes it when a barrier opens would make two threads of a
   * node compute one after the other. */
  skein_stealing_set(0);
  const double begin = seconds();
  skein_thread_t all[(size_t)nodes * threads];
  for (int node = 0; node < nodes; node++)
    for (uint64_t i = 0; i < threads; i++) {
      const struct skein_attributes there = {.node = SKEIN_ON(node)};
      all[(size_t)node * threads + i] = skein_spawn_with(&there, compute, problem, node, i);
    }
  for (size_t i = 0; i < (size_t)nodes * threads; i++)
    skein_join(all[i]);
  const double took = seconds() - begin;

  const skein_array_t *result = &own.positions[steps % 2];
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < result->count; i++)
    hash = nbody_hash(hash, *(shared struct position *)skein_array_at(result, i));
  printf("%zu particles, %llu steps, %d nodes: %.3f s, hash %016llx\n", result->count, (unsigned long long)steps, nodes,
         took, (unsigned long long)hash);
  if (argc > 4) {
    const int same = sequential(result, edge, steps);
    printf("%s as one thread alone\n", same ? "the same to the last bit" : "NOT the same");
    return !same;
  }
  return 0;
}
