/* Particles on a grid, after Ariadne's example of objects that are located (section "Object Location and Migration").
 *
 * The space is a grid of rows and columns, cut into slices of some rows. A slice is an object with a counter for each
 * of its cells, and a particle is a thread that walks at random and counts where it has been. A particle that crosses
 * into another slice visits that one, on whatever node it is. Meanwhile the balancer asks all slices how crowded they
 * are and moves some from the node with the most particles to that with the fewest.
 *
 * The walk of a particle depends on nothing but its number, so the counters come out the same on any number of nodes,
 * whatever moves; their checksum is printed.
 *
 *     particles [particles [steps [slices]]] */
#include <skein/object.h>
#include <skein/shared.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>

enum { columns = 64, rows_of_slice = 16, steps_of_visit = 64 };

struct slice {
  long crowd; /* particles that are in it */
  long visits;
  uint32_t count[rows_of_slice][columns];
};

struct particle {
  long row, column, steps;
  uint64_t random;
};

/* xorshift64*: Vigna, 2016. */
static uint32_t draw(uint64_t *random) {
  *random ^= *random >> 12;
  *random ^= *random << 25;
  *random ^= *random >> 27;
  return (uint32_t)(*random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

/* One step to a neighbour; the space is closed to a ring in both directions. */
static void step(struct particle *particle, long rows) {
  const uint32_t way = draw(&particle->random);
  particle->row = (particle->row + rows + (way >> 4) % 3 - 1) % rows;
  particle->column = (particle->column + columns + (way >> 8) % 3 - 1) % columns;
  particle->steps--;
}

/* Goes on within the slice for some steps. */
static void fly_within(struct slice *slice, long index, struct particle *particle, long rows) {
  slice->visits++;
  for (int i = 0; i < steps_of_visit && particle->steps > 0 && particle->row / rows_of_slice == index; i++) {
    slice->count[particle->row % rows_of_slice][particle->column]++;
    step(particle, rows);
  }
}

static void missing(const char *what) {
  fprintf(stderr, "particles: %s: %s\n", what, skein_error_text());
  exit(1);
}

static void fly(long number, long steps, skein_grid_t space) {
  const long rows = (long)skein_grid_count(space) * rows_of_slice;
  /* All begin in the first eighth of the space. */
  struct particle particle = {.row = number % (rows / 8 ? rows / 8 : 1),
                              .column = number % columns,
                              .steps = steps,
                              .random = (uint64_t)(number + 1) * UINT64_C(0x9e3779b97f4a7c15)};
  long before = -1;
  while (particle.steps > 0) {
    const long index = particle.row / rows_of_slice;
    struct slice *slice;
    if (before >= 0 && before != index) {
      skein_visit(skein_grid_at(space, (uint32_t)before), slice) slice->crowd--;
      else missing("the slice behind");
    }
    skein_visit(skein_grid_at(space, (uint32_t)index), slice) {
      slice->crowd += before != index;
      fly_within(slice, index, &particle, rows);
    }
    else missing("the slice ahead");
    before = index;
    skein_yield();
  }
}

SKEIN_METHOD(crowd, struct slice *slice, const void *unused, long *crowd) {
  (void)unused;
  *crowd = slice->crowd;
}

static void balance(skein_grid_t space, skein_shared long *over, skein_shared long *moved) {
  const int nodes = skein_nodes();
  const uint32_t slices = skein_grid_count(space);
  long crowds[slices], of_node[nodes];
  int where[slices];
  while (!*over) {
    skein_sleep_ns(1000000);
    for (int node = 0; node < nodes; node++)
      of_node[node] = 0;
    for (uint32_t i = 0; i < slices; i++) {
      const skein_object_t slice = skein_grid_at(space, i);
      where[i] = skein_object_node(slice);
      if (where[i] < 0 || skein_object_call(slice, &crowd, NULL, 0, &crowds[i], sizeof crowds[i]))
        missing("a slice");
      of_node[where[i]] += crowds[i];
    }
    int most = 0, least = 0;
    for (int node = 1; node < nodes; node++) {
      most = of_node[node] > of_node[most] ? node : most;
      least = of_node[node] < of_node[least] ? node : least;
    }
    /* The most crowded slice that does not make the other node the more crowded one. */
    long best = -1;
    for (uint32_t i = 0; i < slices; i++)
      if (where[i] == most && crowds[i] > 0 && of_node[least] + crowds[i] < of_node[most] &&
          (best < 0 || crowds[i] > crowds[best]))
        best = i;
    if (best >= 0 && skein_object_move(skein_grid_at(space, (uint32_t)best), least) == SKEIN_OK)
      ++*moved;
  }
}

int main(int argc, char **argv) {
  const long particles = argc > 1 ? atol(argv[1]) : 1000, steps = argc > 2 ? atol(argv[2]) : 2000;
  const uint32_t slices = argc > 3 ? (uint32_t)atol(argv[3]) : 16;
  if (particles < 1 || steps < 1 || slices < 1 || argc > 4) {
    fprintf(stderr, "usage: particles [particles [steps [slices]]]\n");
    return 2;
  }
  const skein_grid_t space = skein_grid_create(slices, sizeof(struct slice), NULL);
  if (!space)
    missing("the grid");
  skein_shared long *over = skein_shared_alloc(0, sizeof *over), *moved = skein_shared_alloc(0, sizeof *moved);
  const skein_thread_t balancer = skein_spawn(balance, space, over, moved);
  skein_thread_t *flying = malloc((size_t)particles * sizeof *flying);
  for (long i = 0; flying && i < particles; i++)
    flying[i] = skein_spawn(fly, i, steps, space);
  for (long i = 0; flying && i < particles; i++)
    skein_join(flying[i]);
  free(flying);
  flying = NULL;
  *over = 1;
  skein_join(balancer);

  uint64_t sum = 0, hash = UINT64_C(0xcbf29ce484222325);
  long visits = 0;
  for (uint32_t i = 0; i < slices; i++) {
    struct slice *slice;
    skein_visit(skein_grid_at(space, i), slice) {
      visits += slice->visits;
      for (int row = 0; row < rows_of_slice; row++)
        for (int column = 0; column < columns; column++) {
          sum += slice->count[row][column];
          hash = (hash ^ slice->count[row][column]) * UINT64_C(0x100000001b3);
        }
    }
    else missing("a slice at the end");
  }
  const long moves = *moved;
  printf("%ld particles made %llu steps in %ld visits to %u slices, which moved %ld times\n", particles,
         (unsigned long long)sum, visits, slices, moves);
  printf("checksum %016llx\n", (unsigned long long)hash);
  return skein_grid_delete(space) == SKEIN_OK && sum == (uint64_t)(particles * steps) ? 0 : 1;
}
