/* PageRank as in examples/pagerank.c by MPI: each rank has a sub-graph, and what the vertices give along their edges
 * comes to all by one gather in each step. The arithmetic is the same, and so is the result, to the last bit.
 *
 *     mpi_pagerank [vertices [steps]] */
#include "pagerank_kernel.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct graph graph = {.vertices = argc > 1 ? atoi(argv[1]) : 20000, .steps = argc > 2 ? atoi(argv[2]) : 20};
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  graph.part = (graph.vertices + ranks - 1) / ranks;
  const size_t vertices = (size_t)graph.vertices;
  double *given = malloc(vertices * sizeof *given), *mine = malloc(((size_t)graph.part + 1) * sizeof *mine);
  long *out = calloc(vertices, sizeof *out);
  int *counts = calloc((size_t)ranks, sizeof *counts), *begins = calloc((size_t)ranks, sizeof *begins);
  if (!given || !mine || !out || !counts || !begins)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < ranks; i++) {
    begins[i] = graph.part * i < graph.vertices ? graph.part * i : graph.vertices;
    counts[i] = begins[i] + graph.part <= graph.vertices ? graph.part : graph.vertices - begins[i];
  }
  const int first = begins[rank], end = first + counts[rank];

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int v = first; v < end; v++) { /* every edge counts at the vertex where it begins */
    int from[degree_most];
    const int degree = incoming(&graph, v, from);
    for (int i = 0; i < degree; i++)
      out[from[i]]++;
  }
  MPI_Allreduce(MPI_IN_PLACE, out, graph.vertices, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
#define GIVEN(u) given[u]
  for (int step = 0; step <= graph.steps; step++) {
    for (int v = first; v < end; v++) {
      const double now = step ? NEXT_RANK(&graph, v, GIVEN) : 1.0 / graph.vertices;
      mine[v - first] = step < graph.steps && out[v] ? now / (double)out[v] : now;
    }
    MPI_Allgatherv(mine, counts[rank], MPI_DOUBLE, given, counts, begins, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  const double took = MPI_Wtime() - begin;

  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t v = 0; v < vertices; v++)
    hash = rank_hash(hash, given[v]);
  if (rank == 0)
    printf("%zu vertices: %.3f s, hash %016llx\n", vertices, took, (unsigned long long)hash);
  MPI_Finalize();
  return 0;
}
