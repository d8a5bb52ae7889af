/* What does not fit into a ring, or into the file, is missing, and nothing else is: what is there and what is said to
 * be missing are together as many as there were, and a full file ends recording, not the program. */

// RUN: %skeincc -O2 %s -o %t && rm -rf %t.ring %t.file
// RUN: env SKEIN_OPTIONS=trace_in=%t.ring,trace=program,trace_ring=4K,trace_period_ms=1000 %t
// RUN: not %skein trace %t.ring --csv > %t.csv 2> %t.err && %python %S/Inputs/sum.py %t.err < %t.csv | FileCheck %s
// CHECK: 300000 events, some of them missing, in order
// RUN: env SKEIN_OPTIONS=trace_in=%t.file,trace=program,trace_most=1M %t 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: skein: the trace is full, and goes on without events: trace_most is reached
// RUN: not %skein trace %t.file --csv > %t.csv 2> %t.err && %python %S/Inputs/sum.py %t.err < %t.csv | FileCheck %s
// RUN: rm -rf %t.both
// RUN: env SKEIN_OPTIONS=trace_in=%t.both,trace=program,trace_ring=4K,trace_most=1M %t
// RUN: not %skein trace %t.both --csv > %t.csv 2> %t.err && %python %S/Inputs/sum.py %t.err < %t.csv | FileCheck %s
//
// Nor is anything forgotten if the process is killed then, when some events are still in the ring.
//
// RUN: rm -rf %t.file && not --crash env SKEIN_OPTIONS=trace_in=%t.file,trace=program,trace_most=1M %t killed
// RUN: not %skein trace %t.file --csv > %t.csv 2> %t.err && %python %S/Inputs/sum.py %t.err < %t.csv | FileCheck %s
#include <skein/trace.h>

#include <signal.h>
#include <time.h>

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 300000; i++) {
    skein_trace_event("number", i);
    const struct timespec pause = {0, 1000000};
    if (i % 10000 == 0)
      nanosleep(&pause, 0);
  }
  const struct timespec moment = {0, 50000000}; /* then the recorder sleeps */
  if (argc > 1 && nanosleep(&moment, 0) == 0)
    raise(SIGKILL);
  return 0;
}
