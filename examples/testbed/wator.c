/* `wator`: sharks and fish in a round ocean, whose regions are threads. (The Testbed, sections 4.3.3, A.8, after Fox et
 * al., "Solving problems on concurrent processors", section 17.)
 *
 * The ocean is a torus of cells, each empty, or with a fish or a shark in it. A fish moves to an empty cell beside it,
 * and leaves a young one behind when it is old enough; seasons, which go round the ocean, say how old that is. A shark
 * moves to a fish beside it and eats it, else to an empty cell; it starves when it has not eaten for too long.
 *
 *     region 0   rows 0 … 24     Each region is a thread that knows its rows and a copy of the row above and below. In
 *     region 1   rows 25 … 49    each half of a step (fish, then sharks) it tells its neighbours three things, over
 *      …                         channels: its edge rows; who of its animals wants to go to their rows; and who of
 *     region 3   rows 75 … 99    theirs may come. Where several want to go to one cell the lot decides (the conflicts).
 *
 * The lot is a hash of cell, step and seed. So the populations do not depend on how many regions there are, nor on
 * where they run: the last line is the same whatever moves. Arguments, as name=number: size (100: of a side), regions
 * (4), steps (100), random=1 (each region begins on a random node), print=1 (fish and sharks after each step, and in
 * each region), seed. */
#include "testbed.h"

#include <skein/heap.h>

enum { size_most = 4096, regions_most = 256 };

enum kind { empty, fish, shark };
struct cell {
  uint8_t kind, age, hunger;
  uint8_t moved; /* in this half of the step */
};

enum { shark_breeds = 10, shark_starves = 6 };

struct settings {
  long size, regions, steps, random, print, seed;
};

/* Channels between regions, upwards and downwards, and to main. */
struct links {
  skein_channel_t up[regions_most], down[regions_most], counts;
};

struct counts {
  long region, step, fish, sharks;
};

static uint32_t lot(uint64_t cell, uint64_t step, uint64_t seed) {
  uint64_t mixed = cell * 0x9e3779b97f4a7c15u + step * 0xbf58476d1ce4e5b9u + seed * 0x94d049bb133111ebu;
  mixed = (mixed ^ mixed >> 31) * 0xff51afd7ed558ccdu;
  return (uint32_t)(mixed >> 32);
}

/* A region's rows from 1 to `rows`; row 0 and row rows + 1 are copies of the neighbours'. */
struct region {
  long size, first, rows, step;
  uint64_t seed;
  struct cell *cells;
  int8_t *wish; /* of each cell: where its animal wants to go; stays: nowhere */
};
enum { stays, north, south, west, east };

static struct cell *cell_at(const struct region *region, long row, long column) {
  return region->cells + row * region->size + (column + region->size) % region->size;
}
static int8_t *wish_at(const struct region *region, long row, long column) {
  return region->wish + row * region->size + (column + region->size) % region->size;
}
/* The number of a cell in the whole ocean; `row` is the region's. */
static uint64_t number_of(const struct region *region, long row, long column) {
  const long whole = (region->first + row - 1 + region->size) % region->size;
  return (uint64_t)(whole * region->size + (column + region->size) % region->size);
}

static void step_from(int wish, long *row, long *column) {
  *row += wish == south ? 1 : wish == north ? -1 : 0;
  *column += wish == east ? 1 : wish == west ? -1 : 0;
}

/* How old a fish must be to breed: from 2 to 6, by the season at its row. */
static int fish_breeds(const struct region *region, long row) {
  const long year = 50, whole = (region->first + row - 1 + region->size) % region->size;
  const long season = (region->step + whole * year / region->size) % year;
  return 2 + (int)((season < year / 2 ? season : year - season) * 4 / (year / 2));
}

static int breeds_at(const struct region *region, long row, enum kind kind) {
  return kind == fish ? fish_breeds(region, row) : shark_breeds;
}
static uint8_t older(uint8_t age) { return age < 255 ? age + 1 : age; }

/* Where the animal at a cell wants to go. The rows above and below the region's own are known, so this is, too. */
static int wish_of(const struct region *region, long row, long column, enum kind moves) {
  if (cell_at(region, row, column)->kind != moves)
    return stays;
  for (int wanted = moves == shark ? fish : empty;; wanted = empty) {
    int choices[4], count = 0;
    for (int wish = north; wish <= east; wish++) {
      long r = row, c = column;
      step_from(wish, &r, &c);
      if (cell_at(region, r, c)->kind == wanted)
        choices[count++] = wish;
    }
    if (count)
      return choices[lot(number_of(region, row, column), (uint64_t)region->step * 2 + (moves == shark), region->seed) %
                     (uint32_t)count];
    if (wanted == empty)
      return stays;
  }
}

/* Who comes to a cell: of those that want to, the one with the highest lot. stays: nobody. The direction is the one
 * from which it comes. */
static int winner_of(const struct region *region, long row, long column, enum kind moves) {
  static const int comes[] = {stays, south, north, east, west}; /* from the north comes who wants to go south */
  int best = stays;
  uint32_t highest = 0;
  for (int from = north; from <= east; from++) {
    long r = row, c = column;
    step_from(from, &r, &c);
    if (*wish_at(region, r, c) != comes[from])
      continue;
    const uint32_t drawn =
        lot(number_of(region, r, c), (uint64_t)region->step * 4 + 1 + (moves == shark), region->seed + 1) | 1;
    if (drawn > highest) {
      highest = drawn;
      best = from;
    }
  }
  return best;
}

/* The neighbours get `mine_up` and `mine_down`, and give as many bytes. A region that is alone is its own neighbour. */
static void exchange(const struct links *links, long self, long regions, const void *mine_up, const void *mine_down,
                     void *from_up, void *from_down, size_t bytes) {
  const long above = (self + regions - 1) % regions, below = (self + 1) % regions;
  if (regions == 1) {
    memcpy(from_up, mine_down, bytes);
    memcpy(from_down, mine_up, bytes);
    return;
  }
  struct skein_alternative cases[] = {
      {SKEIN_ALT_SEND, links->up[above], (void *)(uintptr_t)mine_up, bytes, 0, 0, 0},
      {SKEIN_ALT_SEND, links->down[below], (void *)(uintptr_t)mine_down, bytes, 0, 0, 0},
      {SKEIN_ALT_RECEIVE, links->down[self], from_up, bytes, 0, 0, 0},
      {SKEIN_ALT_RECEIVE, links->up[self], from_down, bytes, 0, 0, 0},
  };
  for (int left = 4; left; left--) { /* in whatever order the neighbours are ready */
    const int which = skein_alt(cases, 4);
    must(which < 0 ? -which : cases[which].code, "skein_alt");
    cases[which].kind = SKEIN_ALT_NEVER;
  }
}

/* The fish, or the sharks, move. */
static void half_step(struct region *region, const struct links *links, long self, long regions, enum kind moves) {
  const long size = region->size, rows = region->rows;
  const size_t cells = (size_t)size * sizeof(struct cell), wishes = (size_t)size;
  /* What the neighbours' edges look like. */
  exchange(links, self, regions, cell_at(region, 1, 0), cell_at(region, rows, 0), cell_at(region, 0, 0),
           cell_at(region, rows + 1, 0), cells);
  for (long row = 1; row <= rows; row++)
    for (long column = 0; column < size; column++)
      *wish_at(region, row, column) = (int8_t)wish_of(region, row, column, moves);
  /* Who of them wants to come. */
  exchange(links, self, regions, wish_at(region, 1, 0), wish_at(region, rows, 0), wish_at(region, 0, 0),
           wish_at(region, rows + 1, 0), wishes);
  /* Who comes to each cell. */
  int8_t *wins = skein_malloc((size_t)(rows + 2) * wishes);
  if (!wins)
    exit(3);
  for (long row = 1; row <= rows; row++)
    for (long column = 0; column < size; column++)
      wins[row * size + column] = (int8_t)winner_of(region, row, column, moves);
  /* Who of this region may go there. */
  exchange(links, self, regions, wins + size, wins + rows * size, wins, wins + (rows + 1) * size, wishes);
  struct cell *next = skein_malloc((size_t)rows * cells);
  if (!next)
    exit(3);
  memcpy(next, cell_at(region, 1, 0), (size_t)rows * cells);
  static const int back[] = {stays, south, north, east, west};
  for (long row = 1; row <= rows; row++)
    for (long column = 0; column < size; column++) {
      struct cell *to = next + (row - 1) * size + column;
      const struct cell *was = cell_at(region, row, column);
      const int wish = *wish_at(region, row, column);
      int goes = 0;
      if (was->kind == moves) {
        long r = row, c = column;
        step_from(wish, &r, &c);
        goes = wish != stays && wins[r * size + (c + size) % size] == back[wish];
        to->age = older(was->age);
        if (moves == shark && ++to->hunger >= shark_starves && !goes)
          *to = (struct cell){0};
        if (goes)
          *to = to->age >= breeds_at(region, row, moves) ? (struct cell){.kind = (uint8_t)moves} : (struct cell){0};
      }
      const int from = wins[row * size + column];
      if (from != stays) { /* which only happens to an empty cell, or to one with a fish that is eaten */
        long r = row, c = column;
        step_from(from, &r, &c);
        struct cell comes = *cell_at(region, r, c);
        comes.age = older(comes.age);
        if (comes.age >= breeds_at(region, r, moves))
          comes.age = 0;
        if (moves == shark)
          comes.hunger = (uint8_t)(was->kind == fish ? 0 : comes.hunger + 1);
        *to = moves == shark && comes.hunger >= shark_starves ? (struct cell){0} : comes;
      }
    }
  memcpy(cell_at(region, 1, 0), next, (size_t)rows * cells);
  skein_free(next);
  skein_free(wins);
}

static void count_animals(const struct region *region, struct counts *counts) {
  counts->step = region->step;
  counts->fish = counts->sharks = 0;
  for (long row = 1; row <= region->rows; row++)
    for (long column = 0; column < region->size; column++) {
      const uint8_t kind = cell_at(region, row, column)->kind;
      counts->fish += kind == fish;
      counts->sharks += kind == shark;
    }
}

/* The region's memory is its own, and moves with the thread. */
static void live(skein_channel_t table, long self, long node) {
  struct settings settings;
  struct links links;
  must(skein_channel_receive(table, &settings, sizeof settings, NULL), "skein_channel_receive");
  must(skein_channel_receive(table, &links, sizeof links, NULL), "skein_channel_receive");
  begin_on((int)node);
  struct region region = {.size = settings.size,
                          .first = self * settings.size / settings.regions,
                          .rows =
                              (self + 1) * settings.size / settings.regions - self * settings.size / settings.regions,
                          .seed = (uint64_t)settings.seed};
  const size_t cells = (size_t)((region.rows + 2) * region.size);
  region.cells = skein_calloc(cells, sizeof *region.cells);
  region.wish = skein_calloc(cells, 1);
  if (!region.cells || !region.wish)
    exit(3);
  for (long row = 1; row <= region.rows; row++)
    for (long column = 0; column < region.size; column++) {
      const uint32_t drawn = lot(number_of(&region, row, column), 0, region.seed + 2) % 100;
      *cell_at(&region, row, column) = (struct cell){.kind = drawn < 4    ? shark
                                                             : drawn < 34 ? fish
                                                                          : empty,
                                                     .age = (uint8_t)(drawn % 3)};
    }
  for (region.step = 1; region.step <= settings.steps; region.step++) {
    half_step(&region, &links, self, settings.regions, fish);
    half_step(&region, &links, self, settings.regions, shark);
    struct counts counts = {.region = self};
    count_animals(&region, &counts);
    must(skein_channel_send(links.counts, &counts, sizeof counts), "skein_channel_send");
  }
  skein_free(region.cells);
  skein_free(region.wish);
}

int main(int argc, char **argv) {
  struct settings settings = {.size = 100, .regions = 4, .steps = 100, .seed = 1};
  const struct named known[] = {{"size", &settings.size, 4, size_most}, {"regions", &settings.regions, 1, regions_most},
                                {"steps", &settings.steps, 1, 1000000}, {"random", &settings.random, 0, 1},
                                {"print", &settings.print, 0, 1},       {"seed", &settings.seed, 0, 1000000}};
  for (int i = 1; i < argc; i++)
    if (!read_named(known, sizeof known / sizeof *known, argv[i])) {
      fprintf(stderr, "wator: '%s' is not possible; size=100 regions=4 steps=100 random=0 print=0 seed=1\n", argv[i]);
      return 2;
    }
  if (settings.regions * 2 > settings.size) {
    fprintf(stderr, "wator: a region has two rows at least\n");
    return 2;
  }
  skein_main_stays(1);
  srandom((unsigned)settings.seed);
  struct links links = {.counts = skein_channel_create(16)};
  int nodes[regions_most];
  for (long i = 0; i < settings.regions; i++) {
    nodes[i] = settings.random ? (int)(random() % skein_nodes()) : skein_node();
    links.up[i] = skein_channel_create_on(nodes[i], 0);
    links.down[i] = skein_channel_create_on(nodes[i], 0);
  }
  const skein_channel_t table = skein_channel_create(0);
  skein_thread_t threads[regions_most];
  const uint64_t begin = now_ns();
  for (long i = 0; i < settings.regions; i++) {
    threads[i] = skein_spawn(live, table, i, (long)nodes[i]);
    must(skein_channel_send(table, &settings, sizeof settings), "skein_channel_send");
    must(skein_channel_send(table, &links, sizeof links), "skein_channel_send");
  }
  /* A region may be some steps ahead of another one, so what they count is added up by step. */
  struct counts *sums = calloc((size_t)settings.steps + 1, sizeof *sums);
  long *fish_of = calloc((size_t)(settings.steps + 1) * (size_t)settings.regions, sizeof *fish_of);
  if (!sums || !fish_of)
    exit(3);
  for (long left = settings.steps * settings.regions; left; left--) {
    struct counts counts;
    must(skein_channel_receive(links.counts, &counts, sizeof counts, NULL), "skein_channel_receive");
    sums[counts.step].fish += counts.fish;
    sums[counts.step].sharks += counts.sharks;
    fish_of[counts.step * settings.regions + counts.region] = counts.fish;
  }
  for (long i = 0; i < settings.regions; i++)
    must(skein_join(threads[i]), "skein_join");
  const uint64_t took = now_ns() - begin;
  for (long step = settings.print ? 1 : settings.steps + 1; step <= settings.steps; step++) {
    printf("step %ld: %ld fish, %ld sharks; fish of regions", step, sums[step].fish, sums[step].sharks);
    for (long i = 0; i < settings.regions; i++)
      printf(" %ld", fish_of[step * settings.regions + i]);
    putchar('\n');
  }
  printf("after %ld steps: %ld fish, %ld sharks\n", settings.steps, sums[settings.steps].fish,
         sums[settings.steps].sharks);
  fprintf(stderr, "%llu us\n", (unsigned long long)took / 1000);
  return 0;
}
