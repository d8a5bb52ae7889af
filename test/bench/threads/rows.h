/* What all programs of `skein bench threads` share: the clock, and how a row is printed: its name and nanoseconds.
 *
 * The rows are those of Table 2 of TR-97-054, with its section 7.1's definitions. Everything runs on one core, so that
 * no wait of one kernel thread for another is part of any figure but pthreads' own. */
#ifndef SKEIN_BENCH_ROWS_H
#define SKEIN_BENCH_ROWS_H

#include "../now_ns.h"
#include <stdio.h>

static inline void row(const char *name, double begin, double end, double count) {
  printf("%s %.3f\n", name, (end - begin) / count);
  fflush(stdout);
}

#endif
