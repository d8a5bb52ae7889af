/* A thread that is on its way arrives, moves on and ends before the news of its arrival comes back. What it owned
 * already belongs to another thread, which comes here: its addresses must not be taken. */

// RUN: %skeincc -O2 -fskein-heap=private -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=net_delay_us=2000,seed=5 %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=net_delay_us=2000,seed=6,stacks=relocate,image=any %run -n 3 --timeout 60 %t

#include "check.h"

static void travel(void) {
  char *block = malloc(100);
  block[0] = 1;
  CHECK(skein_push_self(1) == SKEIN_OK);
  CHECK(skein_push_self(2) == SKEIN_OK);
}

int main(void) {
  skein_stealing_set(0);
  for (int i = 0; i < 150; i++)
    CHECK(skein_join(skein_spawn(travel)) == SKEIN_OK);
  return 0;
}
