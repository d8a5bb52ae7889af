/* The n-body problem of examples/nbody.c by MPI: each rank has a part of the particles, and all positions come to all
 * by one gather in each step. The arithmetic is the same, and so is the result, to the last bit.
 *
 *     mpi_nbody [edge [steps]] */
#include "nbody_kernel.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void require(const void *memory) {
  if (!memory)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const size_t edge = argc > 1 ? (size_t)atoi(argv[1]) : 24;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  const size_t count = edge * edge * edge;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int *counts = calloc((size_t)ranks, sizeof *counts), *begins = calloc((size_t)ranks, sizeof *begins);
  struct position *at = calloc(count, sizeof *at);
  double *all = malloc(3 * count * sizeof *all);
  require(counts), require(begins), require(at), require(all);
  const size_t part = (count + (size_t)ranks - 1) / (size_t)ranks;
  for (int i = 0; i < ranks; i++) {
    const size_t begin = part * (size_t)i < count ? part * (size_t)i : count;
    const size_t end = begin + part < count ? begin + part : count;
    counts[i] = (int)((end - begin) * 3);
    begins[i] = (int)(begin * 3);
  }
  const size_t first = (size_t)begins[rank] / 3, end = first + (size_t)counts[rank] / 3;
  struct velocity *velocities = calloc(end - first + 1, sizeof *velocities);
  struct position *moved = calloc(end - first + 1, sizeof *moved);
  require(velocities), require(moved);
  for (size_t i = 0; i < count; i++)
    at[i] = nbody_begin(i, edge);

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    for (size_t i = 0; i < count; i++) {
      all[i] = at[i].x;
      all[count + i] = at[i].y;
      all[2 * count + i] = at[i].z;
    }
    nbody_step(all, count, first, end, velocities, moved);
    MPI_Allgatherv(moved, counts[rank], MPI_DOUBLE, at, counts, begins, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  const double took = MPI_Wtime() - begin;

  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++)
    hash = nbody_hash(hash, at[i]);
  if (rank == 0)
    printf("%zu particles, %d steps, %d ranks: %.3f s, hash %016llx\n", count, steps, ranks, took,
           (unsigned long long)hash);
  MPI_Finalize();
  return 0;
}
