/* The gets and puts of ucx_gets by OpenMPI's one-sided operations, between two processes. Prints "GET_NS GETS PUT_NS
 * PUTS" as the others do, with a flush after each, and after each 64. The target waits in a barrier, which drives its
 * progress. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { outstanding = 64, warm_up = 2000 };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void operate(int put, long *word, int index, MPI_Win window) {
  if (put)
    MPI_Put(word, 1, MPI_LONG, 1, index, 1, MPI_LONG, window);
  else
    MPI_Get(word, 1, MPI_LONG, 1, index, 1, MPI_LONG, window);
}

static void measure(int put, int count, long *words, MPI_Win window) {
  double *times = malloc((size_t)count * sizeof *times);
  for (int i = -warm_up; i < count; i++) {
    const double begin = MPI_Wtime();
    operate(put, words, 0, window);
    MPI_Win_flush(1, window);
    if (i >= 0)
      times[i] = MPI_Wtime() - begin;
    if (words[0] != 7)
      abort();
  }
  qsort(times, (size_t)count, sizeof *times, ascending);
  const double begin = MPI_Wtime();
  const int rounds = count / 4;
  for (int i = 0; i < rounds; i++) {
    for (int j = 0; j < outstanding; j++)
      operate(put, words + j, j, window);
    MPI_Win_flush(1, window);
  }
  printf("%.0f %.0f\n", 1e9 * times[count / 2], (double)rounds * outstanding / (MPI_Wtime() - begin));
  free(times);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int count = argc > 1 ? atoi(argv[1]) : 20000;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long *memory, words[outstanding];
  MPI_Win window;
  MPI_Win_allocate(outstanding * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < outstanding; i++)
    memory[i] = 7;
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    measure(0, count, words, window);
    measure(1, count, words, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
