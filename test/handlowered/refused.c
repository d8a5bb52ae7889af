/* Threads that may not move stay, go on, and say why.
 *
 * RUN: %clang -O2 -I%root/runtime -I%root/runtime/include -c %s -o %t.o
 * RUN: %skeincc -I%root/runtime %t.o %S/Inputs/frames.S -o %t
 * RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
 * RUN: not env SKEIN_OPTIONS=stress_refused=abort %t 2>&1 | FileCheck %s --check-prefix=ABORT
 *
 * The address sanitizer puts a function of its own before qsort.
 * UNSUPPORTED: sanitized
 */
#include "Inputs/run.h"

long maybe(long);
long pinned(void);
void sorter(int *, long);

int main(void) {
  printf("maybe %ld\n", result_of((any_function)maybe, 1));
  result_of((any_function)pinned, 0);
  static int array[5] = {5, 3, 4, 1, 2};
  run((any_function)sorter, array, 5);
  for (int i = 0; i < 5; i++)
    printf("%d", array[i]);
  printf("\n");
  return 0;
}

// clang-format off: CHECK lines stay whole
/* CHECK-DAG: maybe 0
 * CHECK-DAG: 12345
 * CHECK-DAG: stress: 1 moves, {{.*}} moves refused
 * CHECK-DAG: stress: refused 1 times: `maybe` (frames.S:81) has a word that may be a pointer or an integer and holds an address of its own stack (0x
 * CHECK-DAG: stress: refused 1 times: `pinned` (frames.S:101) cannot move: the function calls a function that returns twice and is not setjmp
 * CHECK-DAG: stress: refused {{[5-9]}} times: a foreign frame is on its stack: qsort in libc.so.6, called by `sorter` (frames.S:121)
 *
 * ABORT-NOT: 12345
 * ABORT: skein: stress: a move was refused: `maybe` (frames.S:81) has a word
 * ABORT-NOT: 12345 */
