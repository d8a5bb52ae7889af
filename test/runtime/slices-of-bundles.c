// Each bundle has time slices of its own, which change with its policy while its threads run.
// RUN: %skeincc -w -O2 -fskein-polls=loops %s -o %t && env SKEIN_OPTIONS=workers=1,slice_ms=0 %t 0
// RUN: env SKEIN_OPTIONS=workers=1,slice_ms=1 %t 1
// The slices that the option sets are over long before 10 s are; those of a bundle without any never are.
// RUN: not env SKEIN_OPTIONS=workers=1,slice_ms=10000 %t 1
#include <skein/bundle.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static volatile int last, changes;

/* Computes until the threads have taken turns `enough` times, at most for `most_ms`. */
static void compute(int self, int enough, int most_ms) {
  const long end = now_ms() + most_ms;
  do
    for (volatile int n = 0; n < 1000; n++)
      if (last != self) {
        last = self;
        changes++;
      }
  while (changes < enough && now_ms() < end);
}

static int turns_of_two(struct skein_bundle *bundle, int enough, int most_ms) {
  struct skein_attributes there = {.bundle = bundle};
  last = 0;
  changes = 0;
  skein_thread_t a = skein_spawn_with(&there, compute, 1, enough, most_ms),
                 b = skein_spawn_with(&there, compute, 2, enough, most_ms);
  if (skein_join(a) || skein_join(b))
    exit(2);
  return changes;
}

static void compute_under_others(struct skein_bundle *bundle, const struct skein_bundle_events *first,
                                 const struct skein_bundle_events *then) {
  skein_bundle_events_set(bundle, first);
  compute(1, 1000, 30);
  if (changes != 1)
    exit(3); /* threads took turns although there were no slices */
  skein_bundle_events_set(bundle, then);
  compute(1, 20, 5000);
}

/* A thread that may run only on this worker waits for one that computes. */
static volatile int bound_ran;
static void say_so(void) { bound_ran = 1; }
static void compute_until_it_ran(void) {
  for (const long end = now_ms() + 5000; !bound_ran && now_ms() < end;)
    for (volatile int n = 0; n < 1000; n++)
      ;
}

int main(int argc, char **argv) {
  const int by_option = argc > 1 && atoi(argv[1]);
  static struct skein_bundle_events alone, brief;
  alone = brief = skein_bundle_fifo;
  brief.slice_ms = 1;
  alone.slice_ms = SKEIN_NO_SLICES;
  struct skein_bundle *fifo = skein_bundle_create("fifo", &skein_bundle_fifo, NULL),
                      *slices = skein_bundle_create("slices", &brief, NULL),
                      *never = skein_bundle_create("never", &alone, NULL);

  int turns = turns_of_two(slices, 20, 5000);
  if (turns < 20)
    return printf("slices: %d turns\n", turns), 1;
  turns = turns_of_two(never, 20, 40);
  if (turns != 2)
    return printf("never: %d turns\n", turns), 1;
  turns = turns_of_two(fifo, 20, by_option ? 1000 : 40);
  if (by_option ? turns < 20 : turns != 2)
    return printf("fifo: %d turns\n", turns), 1;

  struct skein_attributes there = {.bundle = never};
  last = changes = 0;
  skein_thread_t a = skein_spawn_with(&there, compute_under_others, never, &alone, &brief),
                 b = skein_spawn_with(&there, compute, 2, 20, 5000);
  if (skein_join(a) || skein_join(b) || changes < 20)
    return printf("changed: %d turns\n", changes), 1;

  struct skein_attributes here = {.bundle = slices}, bound = {.worker = SKEIN_ON(0)};
  a = skein_spawn_with(&here, compute_until_it_ran);
  skein_yield();
  b = skein_spawn_with(&bound, say_so);
  const long begin = now_ms();
  if (skein_join(a) || skein_join(b) || now_ms() - begin > 4000)
    return puts("the bound thread did not run"), 1;
  return 0;
}
