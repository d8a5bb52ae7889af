/* `skein bench forkjoin`: each task is a Skein thread. SKEIN_OPTIONS sets the number of workers. */
#include "work.h"

#include <skein/skein.h>

static long result_of(skein_thread_t thread) {
  long result;
  if (thread && skein_join_result(thread, &result) == 0)
    return result;
  fprintf(stderr, "forkjoin: %s\n", skein_error_text());
  exit(1);
}

static long fib(int n, int cutoff) {
  if (n < cutoff || n < 2)
    return fib_alone(n);
  skein_thread_t other = skein_spawn(fib, n - 1, cutoff);
  long own = fib(n - 2, cutoff);
  return own + result_of(other);
}

static long queens_by_words(int size, int row, unsigned columns, unsigned left, unsigned right, int cutoff) {
  const struct board board = {size, row, columns, left, right};
  return queens(board, cutoff);
}

static long queens(struct board board, int cutoff) {
  skein_thread_t threads[32];
  int count = 0;
  if (board.row >= cutoff || board.row == board.size)
    return queens_alone(board);
  for (unsigned places = free_places(board); places; places &= places - 1) {
    const struct board next = with_queen(board, places & -places);
    threads[count++] = skein_spawn(queens_by_words, next.size, next.row, next.columns, next.left, next.right, cutoff);
  }
  long ways = 0;
  for (int i = 0; i < count; i++)
    ways += result_of(threads[i]);
  return ways;
}

static long uts_by_words(uint64_t hash, int depth, int deepest, int cutoff) {
  const struct node node = {hash, depth, deepest};
  return uts(node, cutoff);
}

static long uts(struct node node, int cutoff) {
  skein_thread_t threads[children_max];
  if (node.depth >= cutoff)
    return uts_alone(node);
  const int count = children_of(node);
  for (int i = 0; i < count; i++) {
    const struct node child = child_of(node, i);
    threads[i] = skein_spawn(uts_by_words, child.hash, child.depth, child.deepest, cutoff);
  }
  long nodes = 1;
  for (int i = 0; i < count; i++)
    nodes += result_of(threads[i]);
  return nodes;
}

int main(int argc, char **argv) { return argc == 4 ? measure(argv) : 2; }
