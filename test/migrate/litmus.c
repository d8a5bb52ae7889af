/* Litmus tests of docs/memory-model.md: small programs with a result that the model forbids, run again and again with
 * random delays and moves between each two accesses. Those in which copies take part show that result when what keeps
 * copies right is dropped on purpose (a copy is not looked at anew, a write is kept back), so they can fail.
 *
 *     litmus [rounds [moves [mode [fault]]]]
 *
 * rounds of each test; one move in so many steps (0: none); SKEIN_CACHE_*; i or f: the fault (invalidation, flush) that
 * tests are repeated for until it shows.
 *
 * A test is a line per thread, of steps:
 *     W0 R0 P0   write 1 to, read, read for nothing (so that a copy is here) variable 0, which is cached
 *     w0 r0      write and read variable 0 as volatile
 *     a0 A0      set and get variable 0 atomically
 *     F          fence: release and acquire         S0 U0   signal, wait for semaphore 0
 *     M V        move to the next, the last node    B       barrier of all: what comes before is set-up
 * and what R, r and A must not have read, in this order. */

// RUN: %skeincc -O2 -I%S/Inputs -I%root/runtime %s -o %t
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 4 --timeout 60 %t 12 0 | FileCheck %s --check-prefix=RIGHT
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=100 %run -n 3 --timeout 60 %t 6 3 \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 60 %t 8 3 2 | FileCheck %s --check-prefix=RIGHT
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 60 %t 8 3 0 | FileCheck %s --check-prefix=RIGHT
// RUN: %run -n 2 --timeout 60 %t 8 4 | FileCheck %s --check-prefix=RIGHT
// RUN: env SKEIN_OPTIONS=shared=remote,fault=invalidation %run -n 4 --timeout 60 %t 12 0 3 i \
// RUN:   | FileCheck %s --check-prefix=SHOWN
// RUN: env SKEIN_OPTIONS=shared=remote,fault=flush %run -n 4 --timeout 60 %t 12 0 3 f \
// RUN:   | FileCheck %s --check-prefix=SHOWN
// RIGHT: forbidden results: 0
// SHOWN: faults that did not show: 0

#include "abi/entry_points.h"
#include "check.h"
#include <skein/global.h>
#include <skein/shared_cache.h>

enum { variables = 3, threads_most = 4, registers_most = 6, line = 512, semaphores = 2 };

struct test {
  const char *name;
  const char *threads[threads_most + 1];
  const char *forbidden;
  const char *faults; /* that it shows: i, f */
};

static const struct test tests[] = {
    {"message passing", {"B W0 F w1", "P0 B  F r1 F R0"}, "10", "if"},
    {"message passing, semaphore", {"B W0 S0", "P0 B U0 R0"}, "0", "if"},
    {"message passing, atomic", {"B W0 a1", "P0 B  A1 R0"}, "10", "if"},
    {"store buffering", {"P1 B W0 F R1", "P0 B W1 F R0"}, "00", "if"},
    {"store buffering, atomic", {"B a0 A1", "B a1 A0"}, "00", ""},
    {"load buffering", {"B R0 F W1 F", "B R1 F W0 F"}, "11", ""},
    {"load buffering, atomic", {"B A0 a1", "B A1 a0"}, "11", ""},
    {"independent reads", {"B W0 F", "B W1 F", "P1 B     F R0 F R1", "P0 B     F R1 F R0"}, "1010", "i"},
    {"independent reads, atomic", {"B a0", "B a1", "B A0 A1", "B A1 A0"}, "1010", ""},
    {"write to read causality", {"B W0 F", "B  F R0 F w1", "P0 B   F r1 F R0"}, "110", "i"},
    {"causality by semaphores", {"B W0 S0", "B U0 S1", "P0 B U1 R0"}, "0", "if"},
    {"own write", {"W0 R0"}, "0", ""},
    {"own write, moved", {"P0 W0 M R0"}, "0", "f"},
    {"own write, there and back", {"P0 M W0 V R0"}, "0", "if"},
    {"coherence", {"B W0 F", "B R0 R0"}, "10", ""},
    {"coherence, moved", {"W0 R0 M R0"}, "10", "f"},
};

typedef skein_shared int *cell; /* of the size of a line */

static uint32_t random_next(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  return *state ^= *state << 5;
}

static void pause_a_little(uint32_t *random) {
  for (uint32_t i = random_next(random) % 4; i; i--)
    skein_yield();
  for (volatile uint32_t i = random_next(random) % 3000; i; i--)
    ;
}

static void move(uint32_t *random) {
  int to = (int)(random_next(random) % (uint32_t)skein_nodes());
  CHECK(skein_push_self(to) == SKEIN_OK);
}

/* What all threads of a test share; each has a copy on its stack. */
struct run {
  int test, thread, rounds, moves;
  uint64_t cells[variables];
  skein_semaphore_t semaphores[semaphores];
  skein_global_barrier_t barrier;
  uint64_t results; /* of int, for each round and thread, registers_most */
};

static void run_round(const struct run *run, int round, uint32_t *random) {
  skein_shared int *result = (skein_shared int *)run->results + (round * threads_most + run->thread) * registers_most;
  for (const char *step = tests[run->test].threads[run->thread]; *step; step++) {
    if (*step == ' ') {
      pause_a_little(random);
      if (run->moves && random_next(random) % (uint32_t)run->moves == 0)
        move(random);
      continue;
    }
    int which = step[1] >= '0' && step[1] <= '9' ? step[1] - '0' : 0;
    cell at = (cell)(run->cells[which] + (uint64_t)round * line);
    switch (*step) {
    case 'W':
      *at = 1;
      break;
    case 'R':
      *result++ = *at;
      break;
    case 'P':
      *result = *at; /* will be overwritten */
      break;
    case 'w':
      __skein_shared_atomic((uint64_t)at, 1, 0, SKEIN_ATOMIC_STORE | 4 << 8);
      break;
    case 'r':
      *result++ = (int)__skein_shared_atomic((uint64_t)at, 0, 0, SKEIN_ATOMIC_LOAD | 4 << 8);
      break;
    case 'a':
      __skein_shared_atomic((uint64_t)at, 1, 0, SKEIN_ATOMIC_STORE | 4 << 8 | __ATOMIC_SEQ_CST << 16);
      break;
    case 'A':
      *result++ = (int)__skein_shared_atomic((uint64_t)at, 0, 0, SKEIN_ATOMIC_LOAD | 4 << 8 | __ATOMIC_SEQ_CST << 16);
      break;
    case 'F':
      __skein_shared_release();
      __skein_shared_acquire();
      break;
    case 'S':
      CHECK(skein_semaphore_signal(run->semaphores[which]) == SKEIN_OK);
      break;
    case 'U':
      CHECK(skein_semaphore_wait(run->semaphores[which]) == SKEIN_OK);
      break;
    case 'B':
      CHECK(skein_global_barrier_wait(run->barrier) == SKEIN_OK);
      break;
    case 'M':
      CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
      break;
    case 'V':
      CHECK(skein_push_self((skein_node() + skein_nodes() - 1) % skein_nodes()) == SKEIN_OK);
      break;
    default:
      continue;
    }
    if (step[1] >= '0' && step[1] <= '9')
      step++;
  }
}

static void run_thread(skein_shared struct run *shape, int thread) {
  struct run run = *shape;
  run.thread = thread;
  uint32_t random = (uint32_t)(thread * 7919 + run.test * 104729 + 1);
  for (int round = 0; round < run.rounds; round++) {
    /* Each thread is on a node of its own, which changes with each round. */
    CHECK(skein_push_self((thread + round) % skein_nodes()) == SKEIN_OK);
    CHECK(skein_global_barrier_wait(run.barrier) == SKEIN_OK);
    run_round(&run, round, &random);
  }
}

/* Whether the results of a round are the forbidden ones. */
static int is_forbidden(const struct test *test, skein_shared int *results) {
  const char *wanted = test->forbidden;
  for (int thread = 0; test->threads[thread]; thread++) {
    int reads = 0;
    for (const char *step = test->threads[thread]; *step; step++)
      reads += *step == 'R' || *step == 'r' || *step == 'A';
    for (int i = 0; i < reads; i++)
      if (results[thread * registers_most + i] != *wanted++ - '0')
        return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  skein_stealing_set(0);
  int rounds = argc > 1 ? atoi(argv[1]) : 100, moves = argc > 2 ? atoi(argv[2]) : 0, total = 0;
  enum skein_cache mode = argc > 3 ? (enum skein_cache)atoi(argv[3]) : SKEIN_CACHE_BACK;
  char fault = argc > 4 ? *argv[4] : 0;
  int nodes = skein_nodes(), missed = 0;
  for (int test = 0, repeated = 0; test < (int)(sizeof tests / sizeof *tests); test++) {
    if (fault && !strchr(tests[test].faults, fault))
      continue;
    struct run run = {.test = test, .rounds = rounds, .moves = moves};
    int parties = 0;
    while (tests[test].threads[parties])
      parties++;
    size_t bytes = (size_t)rounds * line;
    for (int i = 0; i < variables; i++) {
      skein_shared void *block = skein_shared_alloc(i % nodes, bytes);
      CHECK(block && skein_shared_cache(block, bytes, mode) == SKEIN_OK);
      run.cells[i] = (uint64_t)block;
    }
    for (int i = 0; i < semaphores; i++)
      run.semaphores[i] = skein_semaphore_create(0);
    run.barrier = skein_global_barrier_create(0, (unsigned)parties);
    size_t results_bytes = (size_t)rounds * threads_most * registers_most * sizeof(int);
    skein_shared int *results = skein_shared_alloc(0, results_bytes);
    run.results = (uint64_t)results;
    skein_shared struct run *shape = skein_shared_alloc(0, sizeof *shape);
    *shape = run;
    skein_thread_t threads[threads_most];
    for (int i = 0; i < parties; i++)
      threads[i] = skein_spawn(run_thread, shape, i);
    for (int i = 0; i < parties; i++)
      CHECK(skein_join(threads[i]) == SKEIN_OK);
    int seen = 0;
    for (int round = 0; round < rounds; round++)
      seen += is_forbidden(&tests[test], results + round * threads_most * registers_most);
    total += seen;
    for (int i = 0; i < variables && !fault; i++) { /* what a fault keeps back must not turn up in another test */
      if (mode != SKEIN_CACHE_NONE)                 /* the variable is cached */
        CHECK(skein_shared_free((skein_shared void *)run.cells[i]) == SKEIN_EPOINTER);
      CHECK(skein_shared_cache((skein_shared void *)run.cells[i], bytes, SKEIN_CACHE_NONE) == SKEIN_OK);
      CHECK(skein_shared_free((skein_shared void *)run.cells[i]) == SKEIN_OK);
    }
    CHECK(skein_shared_free(results) == SKEIN_OK && skein_shared_free(shape) == SKEIN_OK);
    if (fault && !seen && repeated++ < 40) {
      test--; /* the test is repeated */
      continue;
    }
    missed += fault && !seen;
    repeated = 0;
    printf("%s: %d of %d\n", tests[test].name, seen, rounds);
  }
  if (fault) {
    printf("faults that did not show: %d\n", missed);
    return missed != 0;
  }
  printf("forbidden results: %d\n", total);
  return total != 0;
}
