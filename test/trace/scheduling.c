/* What threads do is recorded completely, from the beginning of each to its end, in one process and over nodes where
 * they are stolen. In Chrome's format, which is JSON, intervals nest and arrows have two ends. */

// RUN: %skeincc -O2 %s -o %t && rm -rf %t.folder
// RUN: env SKEIN_OPTIONS=trace_in=%t.folder,workers=2 %t | FileCheck %s --check-prefix=RESULT
// RESULT: 610
// RUN: %skein trace %t.folder --csv > %t.csv && %python %S/Inputs/balanced.py < %t.csv | FileCheck %s
// CHECK: 988 threads, each from its beginning to its end
// RUN: %skein trace %t.folder --out %t.json && %python %S/Inputs/chrome.py < %t.json | FileCheck %s --check-prefix=JSON
// JSON: {{[0-9]+}} begins, as many ends; processes: node 0, threads
// RUN: %skein trace %t.folder | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: function of threads spawned runs time a run
// SUMMARY-DAG: fib 986
// SUMMARY-DAG: main 0
// SUMMARY-DAG: waits_for_it 1
// SUMMARY: waits, until the thread runs again
// SUMMARY: skein_join {{[0-9]+}}
// SUMMARY: skein_mutex_lock 1{{ }}

// The same over nodes, where threads are stolen.
// RUN: rm -rf %t.folder && env SKEIN_OPTIONS=trace_in=%t.folder,trace=scheduling+ready+moves %run -n 3 %t \
// RUN:   | FileCheck %s --check-prefix=RESULT
// RUN: %skein trace %t.folder --csv > %t.csv && %python %S/Inputs/balanced.py < %t.csv | FileCheck %s
// RUN: %skein trace %t.folder --out %t.json && %python %S/Inputs/chrome.py < %t.json \
// RUN:   | FileCheck %s --check-prefix=NODES
// NODES: processes: node 0, node 1, node 2, threads
#include <skein/skein.h>
#include <skein/sync.h>

#include <stdio.h>

static skein_mutex_t mutex;

static long fib(long n) {
  if (n < 2)
    return n;
  skein_thread_t other = skein_spawn(fib, n - 1);
  const long mine = fib(n - 2);
  long result;
  return skein_join_result(other, &result) ? -1000000 : mine + result;
}

static void waits_for_it(void) {
  skein_mutex_lock(&mutex);
  skein_mutex_unlock(&mutex);
  if (skein_nodes() > 1)
    skein_push_self(1); // where fib may have ended before the other nodes have stolen anything, this still moves
}

int main(void) {
  skein_mutex_lock(&mutex);
  const skein_thread_t waiter = skein_spawn(waits_for_it);
  skein_sleep_ns(20000000);
  skein_mutex_unlock(&mutex);
  printf("%ld\n", fib(15));
  return skein_join(waiter);
}
