// `skein bench forkjoin`: each task is a task of a oneTBB task group. OMP_NUM_THREADS sets the number of workers, since
// oneTBB has no variable of its own.
#include "work.h"

#include <tbb/global_control.h>
#include <tbb/task_group.h>

static long fib(int n, int cutoff) {
  if (n < cutoff || n < 2)
    return fib_alone(n);
  long other;
  tbb::task_group group;
  group.run([&other, n, cutoff] { other = fib(n - 1, cutoff); });
  long own = fib(n - 2, cutoff);
  group.wait();
  return own + other;
}

static long queens(board board, int cutoff) {
  if (board.row >= cutoff || board.row == board.size)
    return queens_alone(board);
  long ways[32], sum = 0;
  int count = 0;
  tbb::task_group group;
  for (unsigned places = free_places(board); places; places &= places - 1, count++) {
    const struct board next = with_queen(board, places & -places);
    group.run([to = &ways[count], next, cutoff] { *to = queens(next, cutoff); });
  }
  group.wait();
  for (int i = 0; i < count; i++)
    sum += ways[i];
  return sum;
}

static long uts(node node, int cutoff) {
  if (node.depth >= cutoff)
    return uts_alone(node);
  long nodes[children_max], sum = 1;
  const int count = children_of(node);
  tbb::task_group group;
  for (int i = 0; i < count; i++)
    group.run([to = &nodes[i], child = child_of(node, i), cutoff] { *to = uts(child, cutoff); });
  group.wait();
  for (int i = 0; i < count; i++)
    sum += nodes[i];
  return sum;
}

int main(int argc, char **argv) {
  const char *workers = getenv("OMP_NUM_THREADS");
  if (argc != 4 || !workers)
    return 2;
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, strtoul(workers, nullptr, 10));
  return measure(argv);
}
