/* Idle workers steal by themselves, from a node that computes and from one that was quiet for long, but not when that
 * is switched off. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 2 --timeout 60 %t on
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 4 --timeout 60 %t on
// RUN: env SKEIN_OPTIONS=workers=1,stacks=relocate,image=any %run -n 3 --timeout 60 %t on
// RUN: env SKEIN_OPTIONS=workers=1,steal=off %run -n 2 --timeout 60 %t off

#include "check.h"

static void piece(skein_shared int *ran, int index) {
  compute(0.002);
  ran[index] = 1 + skein_node();
}

static int round_of(int count, int *elsewhere) {
  skein_shared int *ran = skein_shared_alloc(0, (size_t)count * sizeof(int));
  skein_thread_t *threads = malloc((size_t)count * sizeof *threads);
  for (int i = 0; i < count; i++)
    threads[i] = skein_spawn(piece, ran, i);
  /* main does not move while it holds a pointer to the heap: `threads` stays here */
  for (int i = 0; i < count; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  int done = 0;
  for (int i = 0; i < count; i++) {
    done += ran[i] != 0;
    *elsewhere += ran[i] > 1;
  }
  free(threads);
  CHECK(skein_shared_free(ran) == SKEIN_OK);
  return done;
}

int main(int argc, char **argv) {
  int on = argc > 1 && !strcmp(argv[1], "on");
  for (int round = 0; round < 3; round++) {
    int elsewhere = 0;
    CHECK(round_of(100, &elsewhere) == 100);
    printf("round %d: %d of 100 elsewhere\n", round, elsewhere);
    CHECK(on ? elsewhere >= 10 : elsewhere == 0);
    usleep(300000); /* the others wait longer and longer before they ask again, but new work must reach them at once */
  }
  return 0;
}
