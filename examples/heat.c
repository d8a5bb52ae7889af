/* Heat spreads over a plate whose rows lie on all nodes: Jacobi's iteration on a distributed array, with halo exchange.
 *
 *       node 0  | rows 0 … 20  |       Each thread goes to a node and computes that node's rows. Of its neighbours' it
 *       node 1  | rows 21 … 41 |  <-   needs one above and one below: the halo, copied to its stack as two structs, one
 *       node 2  | rows 42 … 62 |       message each, or a memcpy on one host. A barrier divides the steps.
 *
 * The upper edge is hot, the others are cold. main computes the same sequentially: the same operations in the same
 * order, so each bit must be the same. The argument is the number of steps. */
#include <skein/global.h>
#include <skein/shared_array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 63, columns = 64 };

struct row {
  double heat[columns];
};

/* The row between `above` and `below` one step later; its ends stay what they are. */
static void relax(struct row *to, const struct row *above, const struct row *at, const struct row *below) {
  *to = *at;
  for (int i = 1; i < columns - 1; i++)
    to->heat[i] = 0.25 * (above->heat[i] + below->heat[i] + at->heat[i - 1] + at->heat[i + 1]);
}

static void compute(shared const skein_array_t *plates, int node, int steps, skein_global_barrier_t barrier) {
  skein_push_self(node);
  skein_array_t from = plates[0], to = plates[1];
  const size_t first = skein_array_next(&from, 0, node);
  const size_t end = first < rows ? first + skein_array_run(&from, first) : rows;
  for (int step = 0; step < steps; step++) {
    struct row window[3]; /* above, at, below */
    for (size_t i = first; i < end; i++) {
      if (i == 0 || i == rows - 1)
        continue;
      if (i == first || i == 1)
        for (size_t j = 0; j < 2; j++)
          window[j] = *(shared struct row *)skein_array_at(&from, i - 1 + j);
      window[2] = *(shared struct row *)skein_array_at(&from, i + 1);
      struct row next;
      relax(&next, &window[0], &window[1], &window[2]);
      *(shared struct row *)skein_array_at(&to, i) = next;
      window[0] = window[1];
      window[1] = window[2];
    }
    skein_global_barrier_wait(barrier);
    skein_array_t swap = from;
    from = to;
    to = swap;
  }
}

static void sequential(struct row *plate, int steps) {
  struct row other[rows];
  memcpy(other, plate, sizeof other);
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < rows - 1; i++)
      relax(&other[i], &plate[i - 1], &plate[i], &plate[i + 1]);
    memcpy(plate, other, sizeof other);
  }
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 400;
  struct row expected[rows];
  memset(expected, 0, sizeof expected);
  for (int i = 0; i < columns; i++)
    expected[0].heat[i] = 100;

  skein_array_t plates[2];
  for (int i = 0; i < 2; i++) {
    if (skein_array_create(&plates[i], rows, sizeof(struct row), SKEIN_BLOCKED)) {
      fprintf(stderr, "%s\n", skein_error_text());
      return 1;
    }
    for (size_t j = 0; j < rows; j++)
      *(shared struct row *)skein_array_at(&plates[i], j) = expected[j];
  }
  shared skein_array_t *both = skein_shared_alloc(0, sizeof plates);
  memcpy(both, plates, sizeof plates);
  const int nodes = skein_nodes();
  skein_global_barrier_t barrier = skein_global_barrier_create(0, (unsigned)nodes);
  skein_thread_t threads[nodes];
  for (int i = 0; i < nodes; i++)
    threads[i] = skein_spawn(compute, both, i, steps, barrier);
  for (int i = 0; i < nodes; i++)
    skein_join(threads[i]);

  sequential(expected, steps);
  int wrong = 0;
  for (size_t i = 0; i < rows; i++) {
    struct row here = *(shared struct row *)skein_array_at(&plates[steps % 2], i);
    wrong += memcmp(&here, &expected[i], sizeof here) != 0;
    if (i % 4)
      continue;
    for (int j = 0; j < columns; j++)
      putchar(" .:-=+*#%@"[(int)(here.heat[j] / 10.01)]);
    putchar('\n');
  }
  printf("%d steps on %d nodes; %d of %d rows differ from the sequential run\n", steps, nodes, wrong, rows);
  for (int i = 0; i < 2; i++)
    skein_array_free(&plates[i]);
  skein_shared_free(both);
  skein_global_free(barrier);
  return wrong != 0;
}
