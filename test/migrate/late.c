/* A node that is late is not dead. Node 1 answers no heartbeat for 4.5 s, since its progress thread is busy, like that
 * of a node which waits for a core on a loaded machine. The others wait for it, and the run ends well. A node whose
 * progress thread sleeps in a handler, or computes in it without end, does not answer `skein run` either: that ends it,
 * and says why. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 %run -n 2 --timeout 30 %t late 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 %python %S/Inputs/status.py 137 %run -n 2 --timeout 30 %t sleeps 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SLEEPS
// RUN: env SKEIN_OPTIONS=workers=1 %python %S/Inputs/status.py 137 %run -n 2 --timeout 80 %t computes 2>&1 | \
// RUN:   FileCheck %s --check-prefix=COMPUTES
// CHECK-NOT: no sign of life, says
// CHECK: node 1 has answered after all
// SLEEPS: skein run: node 1 has given no sign of life, says node 0: it sleeps, and does not answer
// COMPUTES: skein run: node 1 has given no sign of life, says node 0: it runs, and does not answer

#include "check.h"
#include <skein/messages.h>
#include <string.h>

SKEIN_HANDLER(busy, message) {
  const char *how = message->data;
  time_t limit = strcmp(how, "late") == 0 ? 4500 : 3600000;
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    if (strcmp(how, "sleeps") == 0)
      usleep(100000000);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < limit);
  skein_reply(message, how, message->bytes);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  char back[16];
  CHECK(skein_call(1, &busy, argv[1], strlen(argv[1]) + 1, back, sizeof back, NULL) == SKEIN_OK);
  printf("node 1 has answered after all\n");
  return 0;
}
