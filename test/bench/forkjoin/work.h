/* What all programs of `skein bench forkjoin` share but Go's, which has the same in Go: what is computed without tasks
 * below the cutoff, and how a run is measured and printed.
 *
 *     fib SIZE       the recursive Fibonacci number: two calls and an addition, nearly all of it is tasks
 *     queens SIZE    the number of ways to place so many queens on a board: a task for each place in the next row
 *     uts SIZE       Unbalanced Tree Search: the number of nodes of a tree that nobody knows before it is walked. As in
 *                    the benchmark of that name (its geometric trees), each node has 0 to 99 children, 4 on average, by
 *                    a hash of its path, down to depth SIZE; the hash is splitmix64, some rounds of it, not SHA-1
 *
 * A program includes this, defines `fib`, `queens` and `uts` by tasks, and calls `measure` where tasks may be made.
 * CUTOFF: what is computed without tasks: fib of less than that, rows and depths from that on. */
#ifndef SKEIN_BENCH_WORK_H
#define SKEIN_BENCH_WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { children_max = 99, hash_rounds = 16 };

/* A place on the board: the columns and diagonals of the next row that are attacked. */
struct board {
  int size, row;
  unsigned columns, left, right;
};

struct node {
  uint64_t hash;
  int depth, deepest;
};

static long fib(int n, int cutoff);
static long queens(struct board board, int cutoff);
static long uts(struct node node, int cutoff);

static inline unsigned free_places(struct board board) {
  return ((1u << board.size) - 1) & ~(board.columns | board.left | board.right);
}

static inline struct board with_queen(struct board board, unsigned place) {
  struct board next = {board.size, board.row + 1, board.columns | place, (board.left | place) << 1,
                       (board.right | place) >> 1};
  return next;
}

static inline uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static inline int children_of(struct node node) {
  int count = 0;
  for (uint64_t x = mixed(node.hash); node.depth < node.deepest && count < children_max && x < 0xcccccccccccccccc;
       x = mixed(x)) /* each has another sibling with a probability of 0.8 */
    count++;
  return count;
}

static inline struct node child_of(struct node node, int number) {
  struct node child = {node.hash ^ (uint64_t)number, node.depth + 1, node.deepest};
  for (int i = 0; i < hash_rounds; i++)
    child.hash = mixed(child.hash);
  return child;
}

static long fib_alone(int n) { return n < 2 ? n : fib_alone(n - 1) + fib_alone(n - 2); }

static long queens_alone(struct board board) {
  long ways = 0;
  if (board.row == board.size)
    return 1;
  for (unsigned places = free_places(board); places; places &= places - 1)
    ways += queens_alone(with_queen(board, places & -places));
  return ways;
}

static long uts_alone(struct node node) {
  long nodes = 1;
  for (int i = 0, count = children_of(node); i < count; i++)
    nodes += uts_alone(child_of(node, i));
  return nodes;
}

static long compute(const char *name, int size, int cutoff) {
  const struct board empty = {size, 0, 0, 0, 0};
  const struct node root = {mixed(2), 0, size};
  if (strcmp(name, "fib") == 0)
    return fib(size, cutoff);
  if (strcmp(name, "queens") == 0)
    return queens(empty, cutoff);
  return uts(root, cutoff);
}

/* NAME SIZE CUTOFF: prints the result and nanoseconds. Twice, and the second counts: the first makes memory warm. */
static int measure(char **argv) {
  for (int round = 0; round < 2; round++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    long result = compute(argv[1], atoi(argv[2]), atoi(argv[3]));
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (round == 1)
      printf("%ld %.0f\n", result,
             (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)end.tv_nsec - (double)begin.tv_nsec);
  }
  return 0;
}

#endif
