/* A thread that is back before the verdict of its departure goes on in the record and on the stack that it left.
 * Everything else about it is new: threads that wait for it, push it or end it mean the thread that is back. One that
 * is refused where it comes back goes on where it was. */

// RUN: %clang -O1 -shared -fPIC -Wl,--build-id -DLIBRARY %s -o %t.so
// RUN: %skeincc -O2 -fskein-heap=private -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 60 %t %t.so | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,workers=1,stacks=relocate,image=any %run -n 2 --timeout 60 %t %t.so | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,workers=2 %run -n 3 --timeout 60 %t %t.so | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,net_delay_us=300,seed=7 %run -n 3 --timeout 60 %t %t.so | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,net_delay_us=300,seed=8,stacks=relocate,image=any %run -n 3 --timeout 60 %t %t.so \
// RUN:   | FileCheck %s
// CHECK: refused on node 1: skein_push_self: node 0 refused the thread (missing library)
// CHECK: all came back

#ifdef LIBRARY
const int somewhere = 1;
const int *where(void) { return &somewhere; }
#else

#include "check.h"
#include <dlfcn.h>
#include <skein/messages.h>
#include <skein/migration.h>
#include <skein/sync.h>

enum { ROUNDS = 40, HOPS = 12 };

static unsigned next(uint64_t *random, unsigned below) {
  *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
  return (unsigned)(*random >> 33) % below;
}

/* Hops below frames of its own, a different number of frames each time. */
__attribute__((noinline)) static long below(int depth, int to, const long *above) {
  long here = depth + *above;
  if (depth == 0)
    CHECK(skein_push_self(to) == SKEIN_OK);
  else
    CHECK(below(depth - 1, to, &here) == here);
  CHECK(here == depth + *above);
  return *above;
}

/* Hops between `home`, where it was born, and `away`, and at random to third nodes. */
static long bounce(int home, int away, uint64_t random) {
  const skein_thread_t me = skein_self();
  char *block = malloc(200);
  strcpy(block, "mine");
  char **known = malloc(sizeof *known);
  char array[64] = "on the stack";
  *known = array; /* an address of the stack in the heap */
  long sum = 0, one = 1;
  for (int i = 0; i < HOPS; i++) {
    int to = next(&random, 8) ? (skein_node() == home ? away : home) : (int)next(&random, (unsigned)skein_nodes());
    CHECK(below((int)next(&random, 9), to, &one) == 1);
    CHECK(skein_self() == me); /* on any node, since main may have pushed it on */
    CHECK(!strcmp(block, "mine") && !strcmp(*known, "on the stack"));
    if (next(&random, 3) == 0) { /* something that fails leaves a text, and the next call none */
      CHECK(skein_push_self(99) == SKEIN_ENODE && strstr(skein_error_text(), "no node 99"));
    }
    if (next(&random, 4) == 0) {
      free(block);
      block = malloc(100 + next(&random, 5000));
      strcpy(block, "mine");
    }
    sum += i;
  }
  free(block);
  free(known);
  return sum;
}

/* Joins from any node, while it hops. */
static void joiner(skein_thread_t thread, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_join(thread) == SKEIN_OK);
}

static void endless(int a, int b) {
  for (;;)
    if (skein_push_self(skein_node() == a ? b : a))
      skein_yield();
}

static void canceller(skein_thread_t thread, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_cancel(thread) == SKEIN_OK);
}

/* Comes back with an address of a library that is not loaded here. */
static void with_library(const char *path) {
  char own[512];
  snprintf(own, sizeof own, "%s", path);
  volatile long word = 4711;
  volatile long *to_word = &word;
  CHECK(skein_push_self(1) == SKEIN_OK);
  void *library = dlopen(own, RTLD_NOW);
  CHECK(library);
  const int *volatile there = ((const int *(*)(void))dlsym(library, "where"))();
  library = NULL;
  int code = skein_push_self(0);
  CHECK(code == SKEIN_EREFUSED && skein_node() == 1 && *there == 1);
  printf("refused on node %d: %s\n", skein_node(), skein_error_text());
  fflush(stdout);
  there = NULL;
  CHECK(skein_push_self(0) == SKEIN_OK);
  CHECK(*to_word == 4711 && to_word == &word);
  for (int i = 0; i < 10; i++)
    CHECK(skein_push_self(1 - skein_node()) == SKEIN_OK);
  CHECK(*to_word == 4711);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  skein_stealing_set(0);
  uint64_t random = 99;
  const int nodes = skein_nodes();
  for (int round = 0; round < ROUNDS; round++) {
    skein_thread_t threads[6], others[6];
    for (int i = 0; i < 6; i++) {
      const int home = (int)next(&random, (unsigned)nodes), away = (home + 1) % nodes;
      struct skein_attributes at = {.node = SKEIN_ON(home)};
      threads[i] = skein_spawn_with(&at, bounce, home, away, (uint64_t)(round * 6 + i + 1) * 2654435761u);
      CHECK(threads[i] != 0);
      others[i] = skein_spawn(joiner, threads[i], (int)next(&random, (unsigned)nodes));
    }
    for (int i = 0; i < 6; i++) {
      if (next(&random, 2))
        skein_push(threads[i], (int)next(&random, (unsigned)nodes)); /* or it is not here, or in flight */
      CHECK(skein_join(threads[i]) == SKEIN_OK);
      CHECK(skein_join(others[i]) == SKEIN_OK);
    }
    skein_thread_t lost = skein_spawn(endless, round % nodes, (round + 1) % nodes);
    skein_thread_t hunter = skein_spawn(canceller, lost, (int)next(&random, (unsigned)nodes));
    CHECK(skein_join(lost) == SKEIN_OK && skein_join(hunter) == SKEIN_OK);
  }
  CHECK(skein_join(skein_spawn(with_library, argv[1])) == SKEIN_OK);
  CHECK(skein_quiesce() == SKEIN_OK);
  uint64_t began = 0, ended = 0;
  for (int node = 0; node < nodes; node++) {
    struct skein_statistics one;
    CHECK(skein_statistics_get(node, &one) == SKEIN_OK);
    began += one.threads_spawned, ended += one.threads_ended;
  }
  CHECK(began == ended); /* main is not counted */
  printf("all came back\n");
  return 0;
}
#endif
