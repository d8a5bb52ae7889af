/* The clock of programs that are measured in nanoseconds. */
#ifndef SKEIN_BENCH_NOW_NS_H
#define SKEIN_BENCH_NOW_NS_H

#include <time.h>

static inline double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#endif
