// An exported variable of position-independent code has a record that leads to its slot in the global offset table. So
// shared libraries link, and the runtime looks at the definition that is used at run time: the program's own, although
// the library has one, too.
// RUN: %skeincc -O2 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: llvm-readelf -S %t.so | FileCheck --check-prefix=RECORD %s
// RECORD: skein_globals
// RUN: %skeincc -O2 -fPIC -fskein-stress=calls %s %t.so -o %t && env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O0 -fPIC -fskein-stress=calls %s %t.so -o %t && env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// RUN: %skeincc -O1 -no-pie -fno-pic -fskein-stress=calls %s %t.so -o %t
// RUN: env SKEIN_OPTIONS=stress_report=on %t 2>&1 | FileCheck %s
// CHECK-DAG: one definition, 7
// CHECK-DAG: the global `kept` holds an address of its stack
#ifdef LIBRARY
int *kept, *others;
int **kept_address(void) { return &kept; }
#else
#include <stdio.h>
int *kept;
int **kept_address(void);

__attribute__((noinline)) static int keep(void) {
  int local = 7;
  kept = &local;
  printf("%s definition, %d\n", &kept == kept_address() ? "one" : "another", **kept_address());
  int result = *kept;
  kept = 0;
  return result;
}

int main(void) { return keep() != 7; }
#endif
