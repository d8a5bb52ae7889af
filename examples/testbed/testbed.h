/* What the Testbed's programs have in common: work of a known length, clocks, and arguments. (The Testbed, appendix A;
 * docs/sources.md.) */
#ifndef SKEIN_EXAMPLES_TESTBED_H
#define SKEIN_EXAMPLES_TESTBED_H

#include <skein/channel.h>
#include <skein/deaths.h>
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A thread that computes. With polls it gives way to others, and can be moved, in the middle of this. */
static inline uint64_t compute(uint64_t rounds) {
  uint64_t value = rounds;
  for (uint64_t i = 0; i < rounds; i++)
    value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

/* How many rounds this machine computes in a microsecond: the best of some tries. */
static inline uint64_t rounds_a_microsecond(void) {
  uint64_t best = UINT64_MAX;
  volatile uint64_t sink;
  for (int i = 0; i < 20; i++) {
    const uint64_t begin = now_ns();
    sink = compute(100000);
    const uint64_t took = now_ns() - begin;
    if (took < best)
      best = took;
  }
  (void)sink;
  return 100000 * 1000 / (best ? best : 1);
}

/* Ends the program with a message where a call of Skein's has failed. */
static inline void must(int code, const char *what) {
  if (code) {
    fprintf(stderr, "%s: %s\n", what, skein_error_text());
    exit(1);
  }
}

/* The n-th argument as a number, or what holds without it. */
static inline long argument(int argc, char **argv, int n, long otherwise) {
  return argc > n ? strtol(argv[n], NULL, 10) : otherwise;
}

/* A thread goes to its node before it begins. */
static inline void begin_on(int node) {
  if (node != skein_node())
    must(skein_push_self(node), "skein_push_self");
}

/* Arguments that have names: name=number. */
struct named {
  const char *name;
  long *value, least, most;
};

/* Whether the text is one of them, and its number is possible; then it is set. */
static inline int read_named(const struct named *known, size_t count, const char *text) {
  const char *equals = strchr(text, '=');
  for (size_t i = 0; equals && i < count; i++)
    if (strlen(known[i].name) == (size_t)(equals - text) && !strncmp(text, known[i].name, (size_t)(equals - text))) {
      char *end;
      const long value = strtol(equals + 1, &end, 10);
      if (end == equals + 1 || *end || value < known[i].least || value > known[i].most)
        return 0;
      *known[i].value = value;
      return 1;
    }
  return 0;
}

#endif
