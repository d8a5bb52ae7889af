/* check=stress relocates threads whenever they go on, in a program that was not compiled for relocation stress: with
 * several workers, with growable stacks, and in a run of several nodes. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=check=stress,stress_report=on %t > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out && FileCheck %s --check-prefix=MOVES < %t.err
// RUN: env SKEIN_OPTIONS=check=stress,stress_report=on,workers=3,stress_every=3 %t > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out && FileCheck %s --check-prefix=SOME < %t.err
// RUN: env SKEIN_OPTIONS=check=stress %run -n 2 --timeout 60 %t | FileCheck %s
// RUN: %skeincc -O2 -fskein-stacks=growable -fskein-polls=loops %s -o %t-growable
// RUN: env SKEIN_OPTIONS=check=stress,slice_ms=1 %t-growable | FileCheck %s
// RUN: env SKEIN_OPTIONS=stress_report=on %t > %t.out 2> %t.err
// RUN: FileCheck --allow-empty --check-prefix=SILENT %s < %t.err

// CHECK: 8 threads, 1000 turns: the addresses were right
// MOVES: stress: {{[0-9][0-9][0-9][0-9]+}} moves, {{.*}} {{[0-9][0-9][0-9][0-9]+}} pointers fixed, 0 moves refused
// SOME: stress: {{[0-9][0-9][0-9]+}} moves, {{.*}}, 0 moves refused
// SILENT-NOT: stress:

#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, TURNS = 1000 };

/* A list on the stack whose elements lead to each other: right only as long as all of them are relocated. */
struct element {
  struct element *next, *before;
  int number;
};

static void turn(void) {
  struct element first = {&first, &first, 0}, second = {&first, &first, 1};
  first.next = first.before = &second;
  for (int i = 0; i < TURNS; i++) {
    skein_yield();
    if (first.next != &second || second.next->next != &second || first.next->number != 1 || second.before != &first) {
      printf("wrong after %d turns\n", i);
      exit(1);
    }
  }
}

int main(void) {
  skein_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    threads[i] = skein_spawn(turn);
  for (int i = 0; i < THREADS; i++)
    if (skein_join(threads[i]) != SKEIN_OK)
      return 1;
  printf("%d threads, %d turns: the addresses were right\n", THREADS, TURNS);
}
