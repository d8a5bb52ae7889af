/* A thread that asked another node for something, in vain, is not at rest while it waits for the answer. skein_quiesce
 * returns only after it has gone on, although such questions and answers are not counted as messages. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1,net_delay_us=2000 %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=2,net_delay_us=300 %run -n 3 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 --timeout 60 %t

#include "check.h"
#include <skein/messages.h>
#include <skein/migration.h>

enum { rounds = 20, times = 4 };

static int asked_in_vain(int code) { return code == SKEIN_EEMPTY || code == SKEIN_ETIME; }

static void waits(skein_shared _Atomic int *over) {
  for (int i = 0; i < times; i++)
    CHECK(asked_in_vain(skein_steal_any(NULL, NULL)));
  ++*over;
}

static void waits_later(skein_shared _Atomic int *over) {
  const struct skein_choice brief = {.timeout_ms = 1};
  for (int i = 0; i < times; i++) {
    const skein_pending_t pending = skein_steal_any_start(i % 2 ? &brief : NULL);
    CHECK(asked_in_vain(skein_pending_wait(pending)));
  }
  ++*over;
}

int main(void) {
  skein_shared _Atomic int *over = skein_shared_alloc(0, sizeof *over);
  for (int i = 1; i <= rounds; i++) {
    skein_detach(skein_spawn(waits, over));
    skein_detach(skein_spawn(waits_later, over));
    CHECK(skein_quiesce() == SKEIN_OK);
    CHECK(*over == 2 * i);
  }
  return 0;
}
