/* What a node has recorded is there whatever ends it: here it kills itself at once after an event. In a run of several
 * nodes the file of all is made all the same. Only the program's own events are looked at: node 0 records others until
 * it has heard which classes the program wants. */

// RUN: %skeincc -O2 %s -o %t && rm -rf %t.folder
// RUN: not --crash env SKEIN_OPTIONS=trace_in=%t.folder %t 0
// RUN: not %skein trace %t.folder --csv > %t.csv 2> %t.err && grep program, %t.csv | FileCheck %s
// RUN: FileCheck %s --check-prefix=MISSING < %t.err
// RUN: not %run -n 2 --trace %t.pftrace %t 1 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not %skein trace %t.pftrace --csv > %t.csv 2> %t.err && grep program, %t.csv | FileCheck %s
// CHECK: program,mark,{{[0-9]+}},value=1000;name=before
// CHECK-NEXT: program,mark,{{[0-9]+}},value=2000;name=the last one
// MISSING: node 0 did not end by itself; what it recorded until then is here
// NODE: node 1 did not end by itself; what it recorded until then is here
#include <skein/skein.h>
#include <skein/trace.h>

#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (skein_push_self(argc > 1 ? atoi(argv[1]) : 0))
    return 1;
  skein_trace_classes_set("program");
  skein_trace_event("before", 1000);
  skein_trace_event("the last one", 2000);
  raise(SIGKILL);
  return 0;
}
