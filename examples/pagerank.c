/* PageRank of a generated web graph, after Hara and Taura, *Half-process* (section 5.3.3): in-degrees are log-normal,
 * four incoming edges on average; the vertices are cut into one sub-graph a node, and an edge begins in its own
 * sub-graph ten times as often as elsewhere.
 *
 *       rank(v, 0) = 1/n         rank(v, t) = 0.15/n + 0.85 * sum over edges u -> v of rank(u, t-1) / out(u)
 *
 * Two distributed arrays hold what each vertex gives along each of its edges, one for even and one for odd steps. A
 * thread on each node computes that node's vertices, after it has copied what all of them give: a copy of memory on one
 * host, some messages elsewhere. A barrier divides the steps. The graph is a function of its seed, so every thread
 * finds its own part of it, and main can compute the whole once more alone: the same additions in the same order, the
 * same bits. */
#include "pagerank_kernel.h"

#include <skein/global.h>
#include <skein/heap.h>
#include <skein/shared_array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct job {
  struct graph graph;
  skein_array_t given[2], out; /* doubles; out-degrees: longs */
  skein_global_barrier_t barrier;
};

/* Copies what all vertices give, run by run. */
static void gather(const skein_array_t *from, double *to) {
  for (size_t i = 0, n; i < from->count; i += n) {
    n = skein_array_run(from, i);
    memcpy(to + i, (shared double *)skein_array_at(from, i), n * sizeof *to);
  }
}

static void count_edge(const struct job *job, size_t vertex, long edges) {
  __atomic_fetch_add((shared long *)skein_array_at(&job->out, vertex), edges, __ATOMIC_RELAXED);
}

/* Every edge counts at the vertex where it begins: mostly one of this sub-graph, for which `own` has room. */
static void count_edges(const struct job *job, size_t first, size_t end, long *own) {
  for (size_t v = first; v < end; v++) {
    int from[degree_most];
    const int degree = incoming(&job->graph, (int)v, from);
    for (int i = 0; i < degree; i++)
      if ((size_t)from[i] - first < end - first)
        own[(size_t)from[i] - first]++;
      else
        count_edge(job, (size_t)from[i], 1);
  }
  for (size_t v = first; v < end; v++)
    count_edge(job, v, own[v - first]);
}

static void compute(const shared struct job *shared_job, int node) {
  const struct job job = *shared_job;
  const size_t first = skein_array_next(&job.out, 0, node);
  const size_t end = first < job.out.count ? first + skein_array_run(&job.out, first) : first;
  double *given = skein_malloc((size_t)job.graph.vertices * sizeof *given);
  double *mine = skein_malloc((end - first + 1) * sizeof *mine);
  long *out = skein_calloc(end - first + 1, sizeof *out);
  if (!given || !mine || !out) {
    fprintf(stderr, "pagerank: no memory for %d vertices on node %d\n", job.graph.vertices, node);
    exit(1);
  }
  count_edges(&job, first, end, out);
  skein_global_barrier_wait(job.barrier);
  if (end > first)
    memcpy(out, (shared long *)skein_array_at(&job.out, first), (end - first) * sizeof *out);
#define GIVEN(u) given[u]
  for (int step = 0; step <= job.graph.steps; step++) {
    if (step)
      gather(&job.given[(step + 1) % 2], given);
    for (size_t v = first; v < end; v++) {
      const double rank = step ? NEXT_RANK(&job.graph, (int)v, GIVEN) : 1.0 / job.graph.vertices;
      mine[v - first] = step < job.graph.steps && out[v - first] ? rank / (double)out[v - first] : rank;
    }
    if (end > first)
      memcpy((shared double *)skein_array_at(&job.given[step % 2], first), mine, (end - first) * sizeof *mine);
    skein_global_barrier_wait(job.barrier);
  }
  skein_free(out);
  skein_free(mine);
  skein_free(given);
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
  for (int step = 1; step <= g->steps; step++) {
    for (int v = 0; v < g->vertices; v++)
      given[v] = out[v] ? rank[v] / (double)out[v] : rank[v];
    for (int v = 0; v < g->vertices; v++)
      rank[v] = NEXT_RANK(g, v, GIVEN);
  }
  free(given);
  free(out);
  return rank;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* pagerank [vertices [steps [alone]]]; with `alone` main does not compute it once more. */
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
  skein_stealing_set(0); /* each thread has its vertices on its node */
  const double begin = seconds();
  skein_thread_t threads[nodes];
  for (int i = 0; i < nodes; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON(i)};
    threads[i] = skein_spawn_with(&there, compute, all, i);
  }
  for (int i = 0; i < nodes; i++)
    skein_join(threads[i]);
  const double took = seconds() - begin;

  double *expected = argc > 3 ? NULL : sequential(&job.graph), sum = 0, most = 0;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  int wrong = 0;
  for (size_t v = 0; v < vertices; v++) {
    const double rank = *(shared double *)skein_array_at(&job.given[job.graph.steps % 2], v);
    wrong += expected && rank != expected[v];
    hash = rank_hash(hash, rank);
    sum += rank;
    most = rank > most ? rank : most;
  }
  printf("%zu vertices, %d steps, %d nodes: ranks add up to %.4f, the greatest is %.6f; %d differ from the sequential "
         "run\n",
         vertices, job.graph.steps, nodes, sum, most, wrong);
  printf("%zu vertices: %.3f s, hash %016llx\n", vertices, took, (unsigned long long)hash);
  free(expected);
  skein_array_free(&job.given[0]);
  skein_array_free(&job.given[1]);
  skein_array_free(&job.out);
  skein_global_free(job.barrier);
  skein_shared_free(all);
  return wrong != 0;
}
