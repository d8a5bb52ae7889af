/* Nodes on different hosts have clocks that began at different times, and differ in speed. Node 0's answers say by how
 * much: no message arrives before it was sent, but for what the file says the error to be. */

// RUN: %skeincc -O2 %s -o %t && rm -rf %t.folder
// RUN: env SKEIN_OPTIONS=trace_in=%t.folder,fault=clock,policy=none %run -n 3 %t
// RUN: %skein trace %t.folder --csv > %t.csv && %python %S/Inputs/arrows.py < %t.csv | FileCheck %s
// CHECK: 400 moves, of which none arrives before it began
// RUN: %skein trace %t.folder | FileCheck %s --check-prefix=CLOCK
// CLOCK: The clock of node 0 is node 0's, to {{[0-9.]+}} ns.
// CLOCK: The clock of node 1 is compared with node 0's, to {{[0-9.]+}} {{[nu]s}}.
// CLOCK: The clock of node 2 is compared with node 0's, to {{[0-9.]+}} {{[nu]s}}.
#include <skein/skein.h>

#include <time.h>

int main(void) {
  for (int i = 0; i < 200; i++) {
    const struct timespec pause = {0, 2000000};
    nanosleep(&pause, 0);
    if (skein_push_self(1 + i % 2) || skein_push_self(0))
      return 1;
  }
  return 0;
}
