/* `skein bench forkjoin`: each task is an OpenMP task. Clang builds this with its runtime, and gcc with its own.
 * OMP_NUM_THREADS sets the number of workers. */
#include "work.h"

static long fib(int n, int cutoff) {
  if (n < cutoff || n < 2)
    return fib_alone(n);
  long other;
#pragma omp task shared(other) firstprivate(n, cutoff)
  other = fib(n - 1, cutoff);
  long own = fib(n - 2, cutoff);
#pragma omp taskwait
  return own + other;
}

static long queens(struct board board, int cutoff) {
  long ways[32], sum = 0;
  int count = 0;
  if (board.row >= cutoff || board.row == board.size)
    return queens_alone(board);
  for (unsigned places = free_places(board); places; places &= places - 1, count++) {
    const struct board next = with_queen(board, places & -places);
#pragma omp task shared(ways) firstprivate(next, cutoff, count)
    ways[count] = queens(next, cutoff);
  }
#pragma omp taskwait
  for (int i = 0; i < count; i++)
    sum += ways[i];
  return sum;
}

static long uts(struct node node, int cutoff) {
  long nodes[children_max], sum = 1;
  if (node.depth >= cutoff)
    return uts_alone(node);
  const int count = children_of(node);
  for (int i = 0; i < count; i++) {
    const struct node child = child_of(node, i);
#pragma omp task shared(nodes) firstprivate(child, cutoff, i)
    nodes[i] = uts(child, cutoff);
  }
#pragma omp taskwait
  for (int i = 0; i < count; i++)
    sum += nodes[i];
  return sum;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
#pragma omp parallel
#pragma omp single
  measure(argv);
  return 0;
}
