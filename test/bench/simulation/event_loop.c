/* PHOLD as phold.c simulates it, but without processes: each entity is a struct, and an event a call. What the same
 * model costs in the way that people write it where threads are dear; the results are the same to the last bit.
 *
 *     event_loop [sites [population [remote % [lookahead [until]]]]] */
#include <skein/statistics.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct entity {
  struct skein_stream stream;
  uint64_t number;
  uint32_t site;
};
struct event {
  double time;
  struct entity *entity;
};

static struct event *heap;
static size_t count;

static int before(const struct event *a, const struct event *b) {
  return a->time < b->time || (a->time == b->time && a->entity->number < b->entity->number);
}

static void put(struct event event) {
  size_t at = count++;
  for (; at && before(&event, &heap[(at - 1) / 4]); at = (at - 1) / 4)
    heap[at] = heap[(at - 1) / 4];
  heap[at] = event;
}

static struct event take(void) {
  const struct event first = heap[0], last = heap[--count];
  size_t at = 0;
  for (size_t child; (child = 4 * at + 1) < count;) {
    size_t best = child;
    for (size_t other = child + 1; other < child + 4 && other < count; other++)
      if (before(&heap[other], &heap[best]))
        best = other;
    if (!before(&heap[best], &last))
      break;
    heap[at] = heap[best];
    at = best;
  }
  heap[at] = last;
  return first;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  const uint32_t sites = argc > 1 ? (uint32_t)atoi(argv[1]) : 64, population = argc > 2 ? (uint32_t)atoi(argv[2]) : 64;
  const double remote = (argc > 3 ? atof(argv[3]) : 10) / 100, lookahead = argc > 4 ? atof(argv[4]) : 0.1,
               until = argc > 5 ? atof(argv[5]) : 200;
  const size_t entities = (size_t)sites * population;
  struct entity *all = malloc(entities * sizeof *all);
  uint64_t *visits = calloc(sites, sizeof *visits);
  heap = malloc((entities + 1) * sizeof *heap);
  if (!all || !visits || !heap)
    return 1;
  const double start = seconds();
  for (size_t i = 0; i < entities; i++) {
    const uint32_t site = (uint32_t)(i / population);
    const uint64_t number = (uint64_t)(i % population + 1) << 32 | site;
    all[i] = (struct entity){skein_stream_make(1, number), number, site};
    put((struct event){0, &all[i]});
  }
  uint64_t events = 0;
  for (; count && heap[0].time <= until; events++) {
    const struct event event = take();
    struct entity *entity = event.entity;
    if (event.time > 0)
      visits[entity->site]++;
    const double time = lookahead + skein_stream_exponential(&entity->stream, 1 - lookahead);
    if (skein_stream_uniform(&entity->stream) < remote)
      entity->site = skein_stream_below(&entity->stream, sites);
    put((struct event){event.time + time, entity});
  }
  const double took = seconds() - start;
  uint64_t sum = 0, hash = 0;
  for (uint32_t site = 0; site < sites; site++) {
    sum += visits[site];
    hash += (visits[site] + site) * UINT64_C(0x9e3779b97f4a7c15);
  }
  printf("visits %llu checksum %016llx\n", (unsigned long long)sum, (unsigned long long)hash);
  printf("seconds %.4f events_per_second %.0f\n", took, (double)events / took);
  return 0;
}
