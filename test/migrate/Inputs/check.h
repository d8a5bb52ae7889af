/* What the programs of this folder share: a check that says where, and a little waiting. */
#ifndef SKEIN_TEST_CHECK_H
#define SKEIN_TEST_CHECK_H

#include <skein/shared.h>
#include <skein/skein.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ends the run with status 1 if the condition does not hold. */
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s:%d: not true on node %d: %s (last error: %s)\n", __FILE__, __LINE__, skein_node(), #condition,        \
             skein_error_text());                                                                                      \
      fflush(stdout);                                                                                                  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static inline double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Compute without ever giving the worker away. */
static inline void compute(double duration) {
  double end = seconds() + duration;
  while (seconds() < end)
    ;
}

#endif
