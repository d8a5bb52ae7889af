/* The graph of examples/pagerank.c, and what a vertex has at the next step. Shared by that program and by the one for
 * MPI that it is measured beside (test/bench/dmi), so that the two differ only in how the ranks come to all. */
#ifndef PAGERANK_KERNEL_H
#define PAGERANK_KERNEL_H

#include <math.h>
#include <stdint.h>

enum { degree_most = 200 };

struct graph {
  int vertices, part; /* vertices of a sub-graph; the last may have fewer */
  int steps;
};

/* The number after *state of a sequence (splitmix64). */
static inline uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static inline double uniform(uint64_t *state) { return ((double)(draw(state) >> 11) + 0.5) * 0x1p-53; }

/* The vertices with an edge to v; how many. */
static inline int incoming(const struct graph *g, int v, int from[degree_most]) {
  const double sigma = 0.32, mu = 1.335; /* mean 4, deviation 1.3 */
  uint64_t state = (uint64_t)v * 0x1000003 + 17;
  const double normal = sqrt(-2 * log(uniform(&state))) * cos(6.283185307179586 * uniform(&state)); /* Box and Muller */
  const double wanted = exp(mu + sigma * normal);
  const int degree = wanted < degree_most ? (int)(wanted + 0.5) : degree_most;
  const int first = v / g->part * g->part;
  const int here = first + g->part <= g->vertices ? g->part : g->vertices - first;
  for (int i = 0; i < degree; i++)
    from[i] =
        draw(&state) % 11 ? first + (int)(draw(&state) % (uint64_t)here) : (int)(draw(&state) % (uint64_t)g->vertices);
  return degree;
}

/* What v has at the next step, if `give` tells what each vertex gives along an edge. */
#define NEXT_RANK(g, v, give)                                                                                          \
  ({                                                                                                                   \
    int from[degree_most], degree = incoming(g, v, from);                                                              \
    double sum = 0;                                                                                                    \
    for (int i = 0; i < degree; i++)                                                                                   \
      sum += give(from[i]);                                                                                            \
    0.15 / (g)->vertices + 0.85 * sum;                                                                                 \
  })

/* A number for all ranks, to the last bit. */
static inline uint64_t rank_hash(uint64_t hash, double rank) {
  union {
    double number;
    uint64_t bits;
  } word = {rank};
  return (hash ^ word.bits) * UINT64_C(0x100000001b3);
}

#endif
