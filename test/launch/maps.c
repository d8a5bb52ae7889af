/* `skein maps` reads the maps of a linked program: how many sites, which are pinned and why. */

// RUN: %plain-skeincc -O1 -g -w %s -o %t
// RUN: %skein maps --sites %t | FileCheck %s
// RUN: %skein maps --pinned %t | FileCheck %s --check-prefix=PINNED
// RUN: %clang %s -c -DNOTHING -o %t.o
// RUN: %skein maps %t.o | FileCheck %s --check-prefix=NONE
// RUN: not %skein maps %s 2>&1 | FileCheck %s --check-prefix=NOT-ELF
// RUN: not %skein maps /no/such/file 2>&1 | FileCheck %s --check-prefix=NO-FILE

// CHECK: holds_a_pointer: frame {{[0-9]+}} bytes, 2 sites
// CHECK-NEXT: 0x{{[0-9a-f]+}} {{.*}}maps.c:{{[0-9]+}} {{CFA|SP}}
// CHECK: functions {{[0-9]+}}
// CHECK: sites {{[0-9]+}}
// CHECK: bytes of map {{[0-9]+}}
// CHECK: bytes per site {{[0-9.]+}}
// PINNED-NOT: holds_a_pointer
// PINNED: returns_twice: frame
// PINNED: pinned: the function calls a function that returns twice and is not setjmp (vfork, getcontext)
// PINNED: of_another_shape: frame
// PINNED: pinned: the frame has a shape that the maps cannot describe
// PINNED: pinned sites
// NONE: has no frame maps
// NOT-ELF: is not a 64-bit ELF program
// NO-FILE: cannot read /no/such/file

#ifndef NOTHING
#include <skein/skein.h>
#include <unistd.h>

__attribute__((noinline)) int holds_a_pointer(int *to) {
  int local = 1;
  skein_yield();
  *to += local;
  skein_yield();
  return *to + local;
}

__attribute__((noinline)) int returns_twice(void) {
  if (vfork())
    return 1;
  skein_yield();
  return 0;
}

__attribute__((noinline, ms_abi)) int of_another_shape(int *to) {
  skein_yield();
  return *to;
}

int main(void) {
  int value = 0;
  if (of_another_shape(&value))
    return 1;
  return holds_a_pointer(&value) + returns_twice();
}
#else
int nothing;
#endif
