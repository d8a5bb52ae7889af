/* writes KIND MIB WIDE SECONDS: a thread that writes to random words of the first WIDE MiB of its memory all the time,
 * while checkpoints are made. Prints how often it has written in each tenth of a second. KIND: private (malloc's) or
 * shared. */
#include <skein/shared.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { writes_at_once = 2000, tenths_most = 36000 };

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t next(uint64_t x) {
  x ^= x << 13;
  x ^= x >> 7;
  return x ^ x << 17;
}

/* Fills the memory with noise, and writes until the time is over. */
#define WRITE(words, count, wide, tenths, seconds)                                                                     \
  do {                                                                                                                 \
    uint64_t x = 88172645463325252u;                                                                                   \
    for (size_t i = 0; i < (count); i++)                                                                               \
      (words)[i] = x = next(x);                                                                                        \
    const double begin = seconds_now();                                                                                \
    for (double at; (at = seconds_now() - begin) < (seconds); (tenths)[(int)(at * 10)] += writes_at_once) {            \
      for (int i = 0; i < writes_at_once; i++) {                                                                       \
        for (int step = 0; step < 16; step++)                                                                          \
          x = next(x);                                                                                                 \
        (words)[x % (wide)] += x;                                                                                      \
      }                                                                                                                \
      skein_yield();                                                                                                   \
    }                                                                                                                  \
  } while (0)

int main(int count, char **arguments) {
  if (count != 5)
    return 2;
  const size_t mib = strtoull(arguments[2], NULL, 10), wide = strtoull(arguments[3], NULL, 10) << 17;
  const double seconds = atof(arguments[4]);
  long *tenths = calloc(tenths_most, sizeof *tenths);
  if (strcmp(arguments[1], "shared") == 0) {
    skein_shared uint64_t *words = skein_shared_alloc(0, mib << 20);
    WRITE(words, mib << 17, wide, tenths, seconds);
  } else {
    uint64_t *words = malloc(mib << 20);
    WRITE(words, mib << 17, wide, tenths, seconds);
  }
  for (int i = 0; i < (int)(seconds * 10); i++)
    printf("%ld\n", tenths[i]);
  return 0;
}
