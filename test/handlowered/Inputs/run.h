/* Running a hand-lowered function as a thread and looking at what it computed. main itself is compiled by plain clang:
 * its frame has no map and it never asks to move, so it only spawns and joins. */
#ifndef RUN_H
#define RUN_H

#include "abi/entry_points.h"
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*any_function)(void);

/* Start function(first, second) as a thread and wait for its end. */
static inline void run(any_function function, const void *first, long second) {
  uint64_t words[2] = {(uint64_t)first, (uint64_t)second};
  uint64_t thread = __skein_spawn(function, words, 2, SKEIN_ARGUMENT_POINTER | SKEIN_ARGUMENT_INTEGER << 2);
  if (thread == 0 || skein_join(thread) != SKEIN_OK) {
    printf("no thread: %s\n", skein_error_text());
    exit(1);
  }
}

/* frames.S: stored = function(argument) */
void store(void);
extern long stored;
static inline long result_of(any_function function, long argument) {
  run(store, (const void *)function, argument);
  return stored;
}

#endif
