// Threads that wait for shared memory of another node are not at rest, even while their request has not left yet: the
// thread that sends it may be interrupted before it does.

// RUN: %skeincc -O1 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1,steal=off,shared=remote,fault=late_parcels %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=workers=1,steal=off,shared=remote,fault=late_parcels %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=workers=2,shared=remote,fault=late_parcels %run -n 2 --timeout 60 %t

#include "check.h"
#include <skein/messages.h>
#include <skein/shared.h>

enum { count = 20, turns = 5 };

static void add(skein_shared int *done, int number) {
  for (int i = 0; i < turns; i++)
    done[number] = done[number] + 1;
}

int main(void) {
  skein_shared int *done = skein_shared_alloc(1, count * sizeof *done);
  CHECK(done != NULL);
  for (int round = 0; round < 8; round++) {
    for (int i = 0; i < count; i++)
      done[i] = 0;
    for (int i = 0; i < count; i++)
      CHECK(skein_spawn(add, done, i) != 0);
    CHECK(skein_quiesce() == SKEIN_OK);
    for (int i = 0; i < count; i++)
      CHECK(done[i] == turns);
  }
  return 0;
}
