/* Every shape of frame that moves: stress moves the stack at each call, by copying in place and through an image. Any
 * refused move ends the program.
 *
 * RUN: %clang -O2 -I%root/runtime -I%root/runtime/include -c %s -o %t.o
 * RUN: %skeincc -I%root/runtime %t.o %S/Inputs/frames.S -o %t
 * RUN: env SKEIN_OPTIONS=stress_refused=abort,stress_report=on %t 2>&1 | FileCheck %s
 * RUN: env SKEIN_OPTIONS=stress_refused=abort,stress_report=on,stress_via=image %t 2>&1 | FileCheck %s
 * RUN: env SKEIN_OPTIONS=stress_refused=abort,stress_every=3,seed=7 %t 2>&1 | FileCheck %s --check-prefix=THIN
 * RUN: env SKEIN_OPTIONS=stress_refused=abort,stress_every=0 %t 2>&1 | FileCheck %s --check-prefix=THIN
 */
#include "Inputs/run.h"

void sum(long, long *);
long chain(long);
long vla(long);
long based(long);
long variadic(void);
long maybe(long);
long look_alike(void);

int main(void) {
  static long total;
  uint64_t words[2] = {100, (uint64_t)&total};
  skein_join(__skein_spawn((any_function)sum, words, 2, SKEIN_ARGUMENT_INTEGER | SKEIN_ARGUMENT_POINTER << 2));
  printf("sum %ld\n", total);
  printf("chain %ld\n", result_of((any_function)chain, 50));
  printf("vla %ld\n", result_of((any_function)vla, 33));
  printf("based %ld\n", result_of((any_function)based, 100));
  printf("variadic %ld\n", result_of((any_function)variadic, 0));
  printf("maybe %ld\n", result_of((any_function)maybe, 4711));
  printf("look-alike %ld\n", result_of((any_function)look_alike, 0));
  return 0;
}

// clang-format off: CHECK lines stay whole
/* sum moves twice a level but the last (200), chain once a level (51), vla 2, based 2 and keep 2, variadic and gather one
 * each, maybe, look_alike.
 *
 * CHECK-DAG: sum 5050
 * CHECK-DAG: chain 1275
 * CHECK-DAG: vla 528
 * CHECK-DAG: based 107
 * CHECK-DAG: variadic 127
 * CHECK-DAG: maybe 4711
 * CHECK-DAG: look-alike 1
 * CHECK-DAG: stress: 261 moves, {{[0-9]+}} frames, {{[0-9]+}} words looked at, {{[0-9]+}} pointers fixed, 0 moves refused
 * CHECK-DAG: maps: 13 functions, 22 sites, {{.*}} bytes of map per site
 *
 * THIN: sum 5050
 * THIN-NEXT: chain 1275
 * THIN-NEXT: vla 528
 * THIN-NEXT: based 107
 * THIN-NEXT: variadic 127
 * THIN-NEXT: maybe 4711
 * THIN-NEXT: look-alike 1
 * THIN-NOT: {{.}} */
