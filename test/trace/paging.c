// The class `paging` records what becomes of memory that a thread has left behind: faults, pages that came, and when
// nothing was left.
//
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: rm -rf %t.folder
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,trace_in=%t.folder,trace=paging %run -n 2 --timeout 60 %t
// RUN: %skein trace %t.folder --csv | FileCheck %s
// RUN: %skein trace %t.folder --out %t.json && FileCheck --check-prefix=JSON %s < %t.json
// RUN: rm -rf %t.folder
// RUN: env SKEIN_OPTIONS=steal=off,moves=lazy,trace_in=%t.folder,trace=messages %run -n 2 --timeout 60 %t
// RUN: %skein trace %t.folder --csv | FileCheck --check-prefix=NOTICE %s
// CHECK-DAG: paging,page fault
// CHECK-DAG: paging,pages came
// CHECK-DAG: paging,complete
// JSON: "page_fault"
//
// The destination hears of the thread before the source looks through its heap, and wakes up.
// NOTICE: message sent,{{.*}}coming
// NOTICE: message sent,{{.*}}threads
#include <skein/skein.h>
#include <stdlib.h>

int main(void) {
  enum { count = 1 << 21 };
  long *numbers = malloc(count * sizeof *numbers);
  for (long i = 0; i < count; i++)
    numbers[i] = i;
  if (skein_push_self(1))
    return 1;
  for (long i = count - 1; i >= 0; i -= 512)
    if (numbers[i] != i)
      return 2;
  return 0;
}
