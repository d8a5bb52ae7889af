/* Matrix multiplication by threads: the second example of Ariadne (Figure 12 of its paper), over nodes.
 *
 * Each element of the product has a thread of its own, which computes the scalar product of a row and a column. Rows of
 * the first matrix and of the product lie on all nodes, in blocks; of the second matrix, of which every thread needs a
 * column, each node has a copy. Two threads never write to the same place. There are two ways to spread them:
 *
 *     steal   All are started on node 0, as in the figure. The other nodes steal them, mostly before they have begun,
 *             when a thread is only its function and arguments. The load is balanced, and rows are fetched.
 *     place   Each node starts the threads of its own rows, and keeps them: all they touch lies there.
 *
 * The product is compared with what one thread computes alone: elements are whole numbers, so it is equal.
 *
 *     matrix [rows and columns] [steal or place]         (several nodes: skein run -n N matrix ...) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <skein/messages.h>
#include <skein/shared_array.h>

struct matrices {
  int size;
  skein_array_t a, product, ended; /* by elements, in blocks of whole rows; `ended`: a thread's last node */
  skein_shared double *b[];        /* of each node */
};

static void dot_product(const skein_shared struct matrices *m, int row, int column) {
  const int size = m->size;
  const skein_array_t of_a = m->a, of_product = m->product, of_ended = m->ended;
  const size_t first = (size_t)row * (size_t)size, at = first + (size_t)column;
  skein_shared double *a = skein_array_at(&of_a, first), *b = m->b[skein_node()] + column;
  double sum = 0;
  for (int i = 0; i < size; i++)
    sum += a[i] * b[(long)i * size];
  *(skein_shared double *)skein_array_at(&of_product, at) = sum;
  *(skein_shared int *)skein_array_at(&of_ended, at) = skein_node();
}

static void *or_stop(void *pointer) {
  if (!pointer) {
    fprintf(stderr, "matrix: %s\n", skein_error_text());
    exit(1);
  }
  return pointer;
}

/* Starts the threads of rows [first, end). */
static void start_rows(const skein_shared struct matrices *m, int first, int end) {
  const int size = m->size;
  for (int row = first; row < end; row++)
    for (int column = 0; column < size; column++)
      or_stop((void *)skein_spawn(dot_product, m, row, column));
}

static void start_on_all(const skein_shared struct matrices *m, int rows_of_a_node) {
  const int size = m->size, nodes = skein_nodes();
  for (int node = 0; node < nodes && node * rows_of_a_node < size; node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node)};
    const int first = node * rows_of_a_node, end = first + rows_of_a_node;
    or_stop((void *)skein_spawn_with(&there, start_rows, m, first, end < size ? end : size));
  }
}

static double a_at(long i) { return (double)(i * 7 % 11 - 5); }
static double b_at(long i) { return (double)(i * 5 % 13 - 6); }

static void create(skein_array_t *array, int size, size_t bytes, int rows_of_a_node) {
  const size_t row = (size_t)size;
  or_stop(skein_array_create(array, row * row, bytes, (size_t)rows_of_a_node * row) ? NULL : array);
}

static skein_shared struct matrices *matrices(int size, int rows_of_a_node) {
  const int nodes = skein_nodes();
  const long elements = (long)size * size;
  skein_shared struct matrices *m = skein_shared_alloc(0, sizeof *m + (size_t)nodes * sizeof m->b[0]);
  or_stop(m ? &size : NULL);
  struct matrices made = {.size = size};
  create(&made.a, size, sizeof(double), rows_of_a_node);
  create(&made.product, size, sizeof(double), rows_of_a_node);
  create(&made.ended, size, sizeof(int), rows_of_a_node);
  memcpy(m, &made, sizeof made);
  for (long i = 0; i < elements; i++)
    *(skein_shared double *)skein_array_at(&made.a, (size_t)i) = a_at(i);
  for (int node = 0; node < nodes; node++) {
    skein_shared double *b = skein_shared_alloc(node, (size_t)elements * sizeof *b);
    or_stop(b ? &size : NULL);
    m->b[node] = b;
    for (long i = 0; node == 0 && i < elements; i++)
      b[i] = b_at(i);
    if (node > 0)
      memcpy(b, m->b[0], (size_t)elements * sizeof *b);
  }
  return m;
}

int main(int argc, char **argv) {
  const int size = argc > 1 ? atoi(argv[1]) : 100;
  const int place = argc > 2 && !strcmp(argv[2], "place");
  if (size < 1 || size > 3000 || (argc > 2 && !place && strcmp(argv[2], "steal"))) {
    fprintf(stderr, "usage: matrix [rows and columns, 1 to 3000] [how threads spread: steal (default) or place]\n");
    return 2;
  }
  const int nodes = skein_nodes(), rows_of_a_node = (size + nodes - 1) / nodes;
  const long elements = (long)size * size;
  skein_shared struct matrices *m = matrices(size, rows_of_a_node);
  skein_stealing_set(!place);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  if (place)
    start_on_all(m, rows_of_a_node);
  else
    start_rows(m, 0, size);
  if (skein_quiesce())
    or_stop(NULL);
  clock_gettime(CLOCK_MONOTONIC, &to);
  const skein_array_t product = m->product, ended = m->ended;
  long wrong = 0;
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++) {
      double sum = 0;
      for (int i = 0; i < size; i++)
        sum += a_at((long)row * size + i) * b_at((long)i * size + column);
      wrong += *(skein_shared double *)skein_array_at(&product, (size_t)row * (size_t)size + (size_t)column) != sum;
    }
  for (int node = 0; node < nodes; node++) {
    long here = 0;
    for (long i = 0; i < elements; i++)
      here += *(skein_shared int *)skein_array_at(&ended, (size_t)i) == node;
    printf("node %d: %ld threads ended here\n", node, here);
  }
  printf("%d x %d, %ld threads, %.3f s: %ld elements are wrong\n", size, size, elements,
         (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec), wrong);
  return wrong != 0;
}
