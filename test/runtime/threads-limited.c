// Limits on live threads, of the node and of a bundle: a thread that spawns waits, and the limit gives way only when
// nothing else can run.
// RUN: %skeincc -w -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,threads_max=50 %t node 51 && env SKEIN_OPTIONS=workers=2,threads_max=50 %t node 52
// RUN: env SKEIN_OPTIONS=workers=1 %t bundle 40 && env SKEIN_OPTIONS=workers=2 %t bundle 41
// RUN: env SKEIN_OPTIONS=workers=1,threads_max=8 timeout 20 %t tree 0 && env SKEIN_OPTIONS=workers=2,threads_max=8 timeout 20 %t tree 0
// RUN: env SKEIN_OPTIONS=workers=2,threads_max=1,grow=on timeout 20 %t tree 0
// Without a limit there are more, so this test can fail.
// RUN: not env SKEIN_OPTIONS=workers=1 %t node 51
#include <skein/bundle.h>
#include <skein/par.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3000 };

static long most, ended;

static void live(int yields) {
  while (yields--)
    skein_yield();
  __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

static void spawn_all(struct skein_bundle *bundle) {
  struct skein_attributes there = {.bundle = bundle};
  SKEIN_PAR(all)
  for (int i = 0; i < THREADS; i++) {
    const unsigned worker = skein_worker();
    if (!(i % 2 && !bundle ? skein_par_spawn(all, live, i % 5) : skein_par_spawn_with(all, &there, live, i % 5)))
      puts(skein_error_text()), exit(2);
    if (i % 2 && !bundle && skein_worker() != worker)
      puts("a spawn is no migration point, but has changed the worker"), exit(2);
    const long living = i + 1 - __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
    if (living > most)
      most = living;
  }
}

/* All that live wait for threads that do not exist yet. */
static void tree(int depth) {
  if (depth)
    SKEIN_PAR(children)
  for (int i = 0; i < 3; i++)
    skein_par_spawn(children, tree, depth - 1);
  __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

int main(int argc, char **argv) {
  const long allowed = atoi(argv[2]);
  if (!strcmp(argv[1], "tree")) {
    tree(6);
    return ended != 1093;
  }
  struct skein_bundle *bundle = NULL;
  if (!strcmp(argv[1], "bundle")) {
    bundle = skein_bundle_create("limited", &skein_bundle_fifo, NULL);
    skein_bundle_limit_set(bundle, 1000000);
    skein_bundle_limit_set(bundle, 39);
  }
  spawn_all(bundle);
  printf("%ld lived, %ld ended\n", most, ended);
  return most > allowed || ended != THREADS;
}
