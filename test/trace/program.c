/* A program records marks, intervals and counters of its own; they follow the thread, and come out in order, from the
 * file for viewers as from the nodes' own. Classes can be switched while the program runs, for all nodes. */

// RUN: %skeincc -O2 %s -o %t && rm -rf %t.nodes %t.pftrace
// RUN: %run -n 2 --trace %t.pftrace --trace-classes program+moves %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: {{.}}
// RUN: %skein trace %t.pftrace --csv > %t.csv && FileCheck %s < %t.csv
// CHECK: ns,node,worker,class,event,thread,words
// CHECK-NEXT: {{[0-9]+}},0,0,program,mark,1,value=-5;name=a start
// CHECK-NEXT: {{[0-9]+}},0,0,program,begin,1,value=1;name=outer
// CHECK-NEXT: {{[0-9]+}},0,{{.*}},moves,departs,1,bytes={{[0-9]+}};hop=1;to=1
// CHECK-NEXT: {{[0-9]+}},1,{{.*}},moves,arrives,1,bytes={{[0-9]+}};hop=1;from=0
// CHECK-NEXT: {{[0-9]+}},1,0,program,begin,1,"value=2;name=inner, with a comma and a ""quote"""
// CHECK-NEXT: {{[0-9]+}},1,0,program,end,1,"name=inner, with a comma and a ""quote"""
// CHECK-NEXT: {{[0-9]+}},1,0,program,counter,1,value=7;name=count
// CHECK-NEXT: {{[0-9]+}},1,{{.*}},moves,departs,1,bytes={{[0-9]+}};hop=2;to=0
// CHECK-NEXT: {{[0-9]+}},0,{{.*}},moves,arrives,1,bytes={{[0-9]+}};hop=2;from=1
// CHECK-NEXT: {{[0-9]+}},0,0,program,end,1,name=outer
// CHECK-NEXT: {{[0-9]+}},0,0,program,mark,1,value=2;name=last
// CHECK-NOT: {{.}}

// The folder of the nodes says the same as the file that is made of it.
// RUN: rm -rf %t.folder && env SKEIN_OPTIONS=trace_in=%t.folder,trace=program+moves %run -n 2 %t
// RUN: %skein trace %t.folder --summary > %t.1 && FileCheck %s --check-prefix=SUMMARY < %t.1
// RUN: %skein trace %t.folder --out %t.again && %skein trace %t.again | diff %t.1 -
// SUMMARY: 11 events in {{[0-9.]+ .?s}} on 2 of 2 nodes
// SUMMARY: node 0 to node 1 1
// SUMMARY: node 1 to node 0 1
// SUMMARY: the program's intervals
// SUMMARY: outer 1

// A run that records nothing says so, and nothing else changes.
// RUN: %run -n 2 %t --silent | FileCheck %s --check-prefix=SILENT
// SILENT: this run records no events
#include <skein/skein.h>
#include <skein/trace.h>

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc > 1) {
    if (skein_trace_on() || skein_trace_classes_set("all") != SKEIN_ENODE)
      return 1;
    puts(skein_error_text());
    return 0;
  }
  char name[] = "a start";
  skein_trace_event(name, -5);
  name[0] = 'X'; /* the name was copied */
  skein_trace_begin("outer", 1);
  if (skein_push_self(1))
    return 2;
  skein_trace_begin("inner, with a comma and a \"quote\"", 2);
  skein_trace_end("inner, with a comma and a \"quote\"");
  skein_trace_counter("count", 7);
  if (skein_push_self(0))
    return 3;
  skein_trace_end("outer");
  if (skein_trace_classes_set("scheduling+nonsense") != SKEIN_ETHREAD || skein_trace_classes_set("none"))
    return 4;
  skein_trace_event("not recorded", 1);
  if (skein_trace_on() || skein_trace_classes_set("program"))
    return 5;
  skein_trace_event("last", 2);
  return 0;
}
