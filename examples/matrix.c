/* Matrix multiplication by threads: the second example of Ariadne (Figure 12 of its paper), over nodes.
 *
 * Each element of the product has a thread of its own, which computes the scalar product of a row and a column. All are
 * started on node 0, which sets them up as fast as it can; the others steal them, mostly before they have begun, when a
 * thread is only its function and arguments. The matrices lie in shared memory; two threads never write to the same
 * place. The product is compared with what one thread computes alone: elements are whole numbers, so it is equal.
 *
 *     matrix [rows and columns]         (several nodes: skein run -n N matrix ...) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <skein/messages.h>
#include <skein/shared.h>

struct matrices {
  int size;
  skein_shared double *a, *b, *product;
  skein_shared int *ended; /* threads, on each node */
};

static void dot_product(const skein_shared struct matrices *m, int row, int column) {
  int size = m->size;
  skein_shared double *a = m->a + (long)row * size, *b = m->b + column;
  double sum = 0;
  for (int i = 0; i < size; i++)
    sum += a[i] * b[(long)i * size];
  m->product[(long)row * size + column] = sum;
  m->ended[(long)row * size + column] = skein_node();
}

static void *or_stop(void *pointer) {
  if (!pointer) {
    fprintf(stderr, "matrix: %s\n", skein_error_text());
    exit(1);
  }
  return pointer;
}

static skein_shared void *allocate(size_t bytes) {
  skein_shared void *block = skein_shared_alloc(0, bytes);
  or_stop(block ? (void *)1 : NULL);
  return block;
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 100;
  if (size < 1 || size > 3000) {
    fprintf(stderr, "usage: matrix [rows and columns, 1 to 3000]\n");
    return 2;
  }
  long elements = (long)size * size;
  skein_shared struct matrices *m = allocate(sizeof *m);
  m->size = size;
  m->a = allocate((size_t)elements * sizeof(double));
  m->b = allocate((size_t)elements * sizeof(double));
  m->product = allocate((size_t)elements * sizeof(double));
  m->ended = allocate((size_t)elements * sizeof(int));
  for (long i = 0; i < elements; i++) {
    m->a[i] = (double)(i * 7 % 11 - 5);
    m->b[i] = (double)(i * 5 % 13 - 6);
  }
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++)
      or_stop((void *)skein_spawn(dot_product, m, row, column));
  if (skein_quiesce())
    or_stop(NULL);
  clock_gettime(CLOCK_MONOTONIC, &to);
  long wrong = 0;
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++) {
      double sum = 0;
      for (int i = 0; i < size; i++)
        sum += (double)(((long)row * size + i) * 7 % 11 - 5) * (double)(((long)i * size + column) * 5 % 13 - 6);
      wrong += m->product[(long)row * size + column] != sum;
    }
  for (int node = 0; node < skein_nodes(); node++) {
    long ended = 0;
    for (long i = 0; i < elements; i++)
      ended += m->ended[i] == node;
    printf("node %d: %ld threads ended here\n", node, ended);
  }
  printf("%d x %d, %ld threads, %.3f s: %ld elements are wrong\n", size, size, elements,
         (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec), wrong);
  return wrong != 0;
}
