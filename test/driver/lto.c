// -flto: the compile step leaves code generation to the linker, whichever way objects get there, and the code can move all
// the same. A frame that could not, or a stale pointer, would show: "0 moves refused", and the sum.
// RUN: rm -rf %t && mkdir %t && cd %t

// Full and thin, at both ends of optimisation: thin at -O0 has no pipeline that our passes could hang in.
// RUN: %skeincc -O2 -flto -fskein-stress=calls %s %S/Inputs/lto-other.c -o full && env SKEIN_OPTIONS=stress_report=on ./full 2>&1 | FileCheck %s
// RUN: %skeincc -O0 -flto=thin -fskein-stress=calls %s %S/Inputs/lto-other.c -o thin && env SKEIN_OPTIONS=stress_report=on ./thin 2>&1 | FileCheck %s

// Compiled one by one, one of them without, in an archive; the link does not know of -flto.
// RUN: %skeincc -O2 -flto=thin -fskein-stress=calls -c %s -o main.o && file main.o | FileCheck --check-prefix=BITCODE %s
// RUN: %skeincc -O2 -fskein-stress=calls -c %S/Inputs/lto-other.c -o other.o
// RUN: llvm-ar rcs other.a other.o && %skeincc main.o other.a -o mixed && env SKEIN_OPTIONS=stress_report=on ./mixed 2>&1 | FileCheck %s
// RUN: %skeincc -O1 -flto -fskein-stress=calls -c %S/Inputs/lto-other.c -o other.o
// RUN: llvm-ar rcs other.a other.o && %skeincc main.o other.a -Wl,-O2 -o bitcodes && env SKEIN_OPTIONS=stress_report=on ./bitcodes 2>&1 | FileCheck %s
// RUN: %skeincc -r main.o other.o -o both.o && %skeincc both.o -o relinked && env SKEIN_OPTIONS=stress_report=on ./relinked 2>&1 | FileCheck %s

// BITCODE: LLVM IR bitcode
// CHECK-DAG: 136 12
// CHECK-DAG: skein: stress: {{[1-9][0-9]*}} moves, {{.*}}, {{[1-9][0-9]*}} pointers fixed, 0 moves refused

// What a unit was compiled for holds for its functions only.
// RUN: %skeincc -O2 -flto -c %s -o main.o && %skeincc main.o other.o -o half && env SKEIN_OPTIONS=stress_report=on ./half 2>&1 | FileCheck %s

// The whole program is one: `leaf` is proved not to migrate in another unit, so the loop around it is not polled by homing.
// RUN: %skeincc -O2 -flto -fno-inline -save-temps=obj %s %S/Inputs/lto-other.c -o whole && %skein maps whole | FileCheck --check-prefix=MAPS %s
// MAPS: pinned sites {{ *}}0

// Code that was homed and is optimised again cannot be trusted; nor can what another compiler made. Both stay where they are.
// RUN: %skeincc -O2 -emit-llvm -fskein-stress=calls -c %S/Inputs/lto-other.c -o other.o
// RUN: %plain-skeincc main.o other.o -O2 -flto -o twice 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: env SKEIN_OPTIONS=stress_report=on ./twice 2>&1 | FileCheck --check-prefix=FOREIGN %s
// RUN: %clang -O2 -flto -I%build/include -c %S/Inputs/lto-other.c -o other.o
// RUN: %skeincc -O2 -flto -fskein-stress=calls -c %s -o main.o && %skeincc main.o other.o -O2 -flto -o foreign
// RUN: env SKEIN_OPTIONS=stress_report=on ./foreign 2>&1 | FileCheck --check-prefix=FOREIGN %s
// TWICE: warning: {{.*}}it was compiled to bitcode without -flto and is now optimised again [-Wskein-pinned]
// FOREIGN: 136 12

// A pinned call is reported by the linker with its line (here in what it inlined from the other unit), at the level its own unit was given.
// RUN: %plain-skeincc -O2 -flto -DPIN %s %S/Inputs/lto-other.c -o pinned 2>&1 | FileCheck --check-prefix=PIN %s
// RUN: %plain-skeincc -O2 -flto=thin -DPIN -Wno-skein-pinned %s %S/Inputs/lto-other.c -o pinned 2>&1 | count 0
// RUN: not %plain-skeincc -O2 -flto=thin -DPIN -Werror=skein-pinned %s %S/Inputs/lto-other.c -o pinned 2>&1 | FileCheck --check-prefix=PIN-ERROR %s
// PIN: warning: {{.*}}lto-other.c:14:{{[0-9]+}}: in function pinned {{.*}}cannot describe{{.*}} [-Wskein-pinned]
// PIN-ERROR: error: {{.*}} [-Werror,-Wskein-pinned]
#include <stdio.h>
int leaf(int x);
int reaches(int *to);

#ifdef PIN
__attribute__((vectorcall, noinline)) int pinned(int *p) { return reaches(p) + *p; }
#endif

int main(void) {
#ifdef PIN
  int stays = leaf(1);
  if (pinned(&stays) == 1)
    return 1;
#endif
  int local = 5, *pointer = &local, sum = reaches(pointer);
  for (int i = 0; i < 9; i++)
    sum += leaf(i) + (int)(pointer - &local);
  printf("%d %d\n", sum, *pointer);
  return 0;
}
