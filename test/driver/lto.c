// -flto: the compile step leaves code generation to the linker, in whichever way objects get there, and the threads can
// move all the same. "0 moves refused" and the sum would show a frame that could not move, or a stale pointer.
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

// The options with which a unit was compiled hold for its functions only.
// RUN: %skeincc -O2 -flto -c %s -o main.o && %skeincc main.o other.o -o half && env SKEIN_OPTIONS=stress_report=on ./half 2>&1 | FileCheck %s

// The whole program is one module: `leaf` is proved not to migrate although it is in another unit, so the loop around
// it needs no homes.
// RUN: %skeincc -O2 -flto -fno-inline -save-temps=obj %s %S/Inputs/lto-other.c -o whole && %skein maps whole | FileCheck --check-prefix=MAPS %s
// MAPS: pinned sites {{ *}}0

// Code that was homed must not be optimised again, and code of another compiler has no homes. Threads with either on
// their stack stay.
// RUN: %skeincc -O2 -emit-llvm -fskein-stress=calls -c %S/Inputs/lto-other.c -o other.o
// RUN: %plain-skeincc main.o other.o -O2 -flto -o twice 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: env SKEIN_OPTIONS=stress_report=on ./twice 2>&1 | FileCheck --check-prefix=FOREIGN %s
// RUN: %clang -O2 -flto -I%build/include -c %S/Inputs/lto-other.c -o other.o
// RUN: %skeincc -O2 -flto -fskein-stress=calls -c %s -o main.o && %skeincc main.o other.o -O2 -flto -o foreign
// RUN: env SKEIN_OPTIONS=stress_report=on ./foreign 2>&1 | FileCheck --check-prefix=FOREIGN %s
// TWICE: warning: {{.*}}it was compiled to bitcode without -flto and is now optimised again [-Wskein-pinned]
// FOREIGN: 136 12

// The linker reports a pinned call with its line (here in a function that it inlined from the other unit), at the level
// that the call's own unit was given.
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
