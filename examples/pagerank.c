/* PageRank of a generated web graph, after Hara and Taura, *Half-process* (section 5.3.3): in-degrees are log-normal,
 * four incoming edges on average; the vertices are cut into one sub-graph a node, and an edge begins in its own
 * sub-graph ten times as often as elsewhere.
 *
 *       rank(v, 0) = 1/n         rank(v, t) = 0.15/n + 0.85 * sum over edges u -> v of rank(u, t-1) / out(u)
 *
 * Two distributed arrays hold what each vertex gives along each of its edges, one for even and one for odd steps. A
 * thread on each node computes that node's vertices; what other sub-graphs give it reads where it lies: plain memory on
 * one host, a message elsewhere. A barrier divides the steps. The graph is a function of its seed, so every thread
 * finds its own part of it, and main can compute the whole once more alone: the same additions in the same order, the
 * same bits. */
#include <math.h>
#include <skein/global.h>
#include <skein/shared_array.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { degree_most = 200 };

struct graph {
  int vertices, part; /* vertices of a sub-graph; the last may have fewer */
  int steps;
};

/* The number after *state of a sequence (splitmix64). */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static double uniform(uint64_t *state) { return ((double)(draw(state) >> 11) + 0.5) * 0x1p-53; }

/* The vertices with an edge to v; how many. */
static int incoming(const struct graph *g, int v, int from[degree_most]) {
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

struct job {
  struct graph graph;
  skein_array_t given[2], out; /* doubles; out-degrees: longs */
  skein_global_barrier_t barrier;
};

static void compute(const shared struct job *shared_job, int node) {
  skein_push_self(node);
  const struct job job = *shared_job;
  const size_t first = skein_array_next(&job.out, 0, node);
  const size_t end = first < job.out.count ? first + skein_array_run(&job.out, first) : first;
  for (size_t v = first; v < end; v++) { /* every edge counts at the vertex where it begins */
    int from[degree_most];
    const int degree = incoming(&job.graph, (int)v, from);
    for (int i = 0; i < degree; i++)
      __atomic_fetch_add((shared long *)skein_array_at(&job.out, (size_t)from[i]), 1, __ATOMIC_RELAXED);
  }
  skein_global_barrier_wait(job.barrier);
  for (int step = 0; step <= job.graph.steps; step++) {
    const skein_array_t *before = &job.given[(step + 1) % 2], *now = &job.given[step % 2];
#define GIVEN(u) (*(shared double *)skein_array_at(before, (size_t)(u)))
    for (size_t v = first; v < end; v++) {
      const double rank = step ? NEXT_RANK(&job.graph, (int)v, GIVEN) : 1.0 / job.graph.vertices;
      const long out = *(shared long *)skein_array_at(&job.out, v);
      *(shared double *)skein_array_at(now, v) = step < job.graph.steps && out ? rank / (double)out : rank;
    }
    skein_global_barrier_wait(job.barrier);
  }
}

static double *sequential(const struct graph *g) {
  double *rank = malloc((size_t)g->vertices * sizeof *rank), *given = malloc((size_t)g->vertices * sizeof *given);
  long *out = calloc((size_t)g->vertices, sizeof *out);
  for (int v = 0; v < g->vertices; v++) {
    int from[degree_most];
    for (int i = incoming(g, v, from); i-- > 0;)
      out[from[i]]++;
    rank[v] = 1.0 / g->vertices;
  }
#define GIVEN_HERE(u) given[u]
  for (int step = 1; step <= g->steps; step++) {
    for (int v = 0; v < g->vertices; v++)
      given[v] = out[v] ? rank[v] / (double)out[v] : rank[v];
    for (int v = 0; v < g->vertices; v++)
      rank[v] = NEXT_RANK(g, v, GIVEN_HERE);
  }
  free(given);
  free(out);
  return rank;
}

int main(int argc, char **argv) {
  const int nodes = skein_nodes();
  struct job job = {.graph = {.vertices = argc > 1 ? atoi(argv[1]) : 20000, .steps = argc > 2 ? atoi(argv[2]) : 20}};
  const size_t vertices = (size_t)job.graph.vertices;
  if (skein_array_create(&job.given[0], vertices, sizeof(double), SKEIN_BLOCKED) ||
      skein_array_create(&job.given[1], vertices, sizeof(double), SKEIN_BLOCKED) ||
      skein_array_create(&job.out, vertices, sizeof(long), SKEIN_BLOCKED)) {
    fprintf(stderr, "%s\n", skein_error_text());
    return 1;
  }
  job.graph.part = (int)job.out.block;
  job.barrier = skein_global_barrier_create(0, (unsigned)nodes);
  shared struct job *all = skein_shared_alloc(0, sizeof *all);
  *all = job;
  skein_thread_t threads[nodes];
  for (int i = 0; i < nodes; i++)
    threads[i] = skein_spawn(compute, all, i);
  for (int i = 0; i < nodes; i++)
    skein_join(threads[i]);

  double *expected = sequential(&job.graph), sum = 0, most = 0;
  int wrong = 0;
  for (size_t v = 0; v < vertices; v++) {
    const double rank = *(shared double *)skein_array_at(&job.given[job.graph.steps % 2], v);
    wrong += rank != expected[v];
    sum += rank;
    most = rank > most ? rank : most;
  }
  printf("%zu vertices, %d steps, %d nodes: ranks add up to %.4f, the greatest is %.6f; %d differ from the sequential "
         "run\n",
         vertices, job.graph.steps, nodes, sum, most, wrong);
  free(expected);
  skein_array_free(&job.given[0]);
  skein_array_free(&job.given[1]);
  skein_array_free(&job.out);
  skein_global_free(job.barrier);
  skein_shared_free(all);
  return wrong != 0;
}
