/* main moves from one node to another one, which dies before the news of that has come to the node where main was born.
 * The run survives deaths, but must end here, and say why. (All messages are late.) */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: not env SKEIN_OPTIONS=deaths=survive,steal=off,net_delay_us=50000 %run -n 3 --timeout 10 %t 2>&1 | FileCheck %s
// CHECK: node 1 was killed by signal 9
// CHECK: skein[0]: main was lost with node 1; the run ends

#include "check.h"
#include <signal.h>

int main(void) {
  CHECK(skein_push_self(2) == SKEIN_OK);
  CHECK(skein_push_self(1) == SKEIN_OK);
  raise(SIGKILL);
  return 0;
}
