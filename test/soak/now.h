/* Seconds since some moment in the past. */
#ifndef SKEIN_SOAK_NOW_H
#define SKEIN_SOAK_NOW_H

#include <time.h>

static inline double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
