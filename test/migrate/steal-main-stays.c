/* main joins one thread after the other where they were born, while idle nodes steal all others. It waits in the middle
 * of hundreds of ready threads, and is not taken. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=workers=2 %run -n 3 --timeout 60 %t

#include "check.h"

enum { count = 200 };

static void piece(skein_shared int *ran, int index) {
  skein_yield(); /* now it has a stack, as main has: thieves take what is ready first */
  compute(0.0002);
  ran[index] = 1 + skein_node();
}

int main(void) {
  skein_shared int *ran = skein_shared_alloc(0, count * sizeof(int));
  int elsewhere = 0;
  for (int round = 0; round < 10; round++) {
    skein_thread_t threads[count];
    for (int i = 0; i < count; i++)
      threads[i] = skein_spawn(piece, ran, i);
    for (int i = 0; i < count; i++) {
      CHECK(skein_join(threads[i]) == SKEIN_OK);
      CHECK(skein_node() == 0);
    }
    for (int i = 0; i < count; i++)
      elsewhere += ran[i] > 1;
  }
  CHECK(elsewhere >= 10);
  CHECK(skein_shared_free(ran) == SKEIN_OK);
  return 0;
}
