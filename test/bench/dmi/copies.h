/* What the two programs of copies between processes share, so that both read, sum and print alike. Each line is
 * "WAY BYTES NANOSECONDS", the lowest decile of the rounds: from when the data lie with their writer until the reader
 * has their sum (Figures 7 and 8 of *Half-process*). */
#ifndef SKEIN_BENCH_COPIES_H
#define SKEIN_BENCH_COPIES_H

#include "../now_ns.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Fewer rounds of what takes longer. */
static inline int rounds_of(size_t bytes, int rounds) {
  const size_t most = ((size_t)1 << 28) / bytes;
  return most > (size_t)rounds ? rounds : most < 5 ? 5 : (int)most;
}

static inline void fill(uint64_t *to, size_t bytes, uint64_t seed) {
  for (size_t i = 0; i < bytes / sizeof *to; i++)
    to[i] = seed + i * 3;
}
static inline uint64_t sum_of(const uint64_t *data, size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes / sizeof *data; i++)
    sum += data[i];
  return sum;
}
/* Of what `fill` writes. */
static inline uint64_t sum_expected(size_t bytes, uint64_t seed) {
  const uint64_t n = bytes / sizeof(uint64_t);
  return n * seed + 3 * (n * (n - 1) / 2);
}

static inline int ascending_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static inline void print_decile(const char *way, size_t bytes, double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending_times);
  printf("%s %zu %.0f\n", way, bytes, times[count / 10]);
}

#endif
