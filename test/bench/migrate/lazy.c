/* What a thread with a large heap waits for when it moves, with moves=eager and moves=lazy (seed 3, section 3.3.4).
 *
 *   skein run -n 2 lazy MIB SECONDS ROUNDS                    (SKEIN_OPTIONS=steal=off,moves=…)
 *
 * A thread fills so many MiB with numbers, lets the runtime look through its heap for so many seconds, and pushes
 * itself to the other node. It prints medians over the rounds, of which each has a heap of its own, in nanoseconds:
 *
 *   running   from the call of skein_push_self to its return at the other node
 *   fault     an access to a page that has not come yet; 0: there was none
 *   whole     from that call until all of the heap is there
 */
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MOST = 99, FAULTS = 64, PAGE_WORDS = 512 };

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}
static uint64_t median(uint64_t *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return count ? values[count / 2] : 0;
}

static uint64_t pages_fetched(void) {
  struct skein_statistics here;
  skein_statistics_get(skein_node(), &here);
  return here.pages_fetched;
}
static uint64_t page_faults(void) {
  struct skein_statistics here;
  skein_statistics_get(skein_node(), &here);
  return here.page_faults;
}

/* Numbers of which no eight bytes look like an address, at odd places either: those cost a move a look each. */
static uint64_t value_of(size_t i) { return (i & 0x3f) | (i & 0xfc0) << 2 | (i & 0x3f000) << 4; }

static void one_round(size_t words, unsigned seconds, uint64_t *running, uint64_t *fault, uint64_t *whole) {
  uint64_t *heap = malloc(words * sizeof *heap);
  if (!heap)
    exit(1);
  for (size_t i = 0; i < words; i++)
    heap[i] = value_of(i);
  if (seconds)
    sleep(seconds);
  const uint64_t begun = now_ns();
  if (skein_push_self(1 - skein_node()))
    exit(2);
  *running = now_ns() - begun;
  /* Accesses at random; those that find their page missing are told from the others by the count of faults. */
  uint64_t times[FAULTS], random = 88172645463325252u;
  size_t count = 0;
  for (int i = 0; i < FAULTS; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    const size_t at = random % words;
    const uint64_t faults = page_faults(), before = now_ns();
    const uint64_t value = *(volatile uint64_t *)&heap[at];
    const uint64_t took = now_ns() - before;
    if (page_faults() != faults)
      times[count++] = took;
    if (value != value_of(at))
      exit(3);
  }
  *fault = median(times, count);
  /* Nothing more comes when all is there. */
  uint64_t last = now_ns();
  for (uint64_t fetched = pages_fetched(); now_ns() - last < 100000000;) {
    usleep(200);
    const uint64_t more = pages_fetched();
    if (more != fetched)
      last = now_ns();
    fetched = more;
  }
  *whole = count ? last - begun : *running;
  for (size_t i = 0; i < words; i += PAGE_WORDS)
    if (heap[i] != value_of(i))
      exit(4);
  free(heap);
}

static int measure(long mib, long seconds, long rounds) {
  uint64_t running[ROUNDS_MOST], fault[ROUNDS_MOST], whole[ROUNDS_MOST];
  for (long i = 0; i < rounds; i++)
    one_round((size_t)mib << 17, (unsigned)seconds, &running[i], &fault[i], &whole[i]);
  printf("%llu %llu %llu\n", (unsigned long long)median(running, (size_t)rounds),
         (unsigned long long)median(fault, (size_t)rounds), (unsigned long long)median(whole, (size_t)rounds));
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4 || atol(argv[3]) < 1 || atol(argv[3]) > ROUNDS_MOST) {
    fprintf(stderr, "usage: lazy MIB SECONDS ROUNDS\n");
    return 1;
  }
  return skein_join(skein_spawn(measure, atol(argv[1]), atol(argv[2]), atol(argv[3])));
}
