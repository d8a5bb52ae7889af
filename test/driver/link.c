// Programs, shared objects, relocatable objects and archives are linked, and the runtime is linked once, into the
// program.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain-skeincc -O2 -Wall -Wextra -Werror %s -o all && ./all | FileCheck %s

// Many inputs are given: one after the other, after -x, and from an archive.
// RUN: %plain-skeincc -O2 -c -DPART %s -o part.o && %plain-skeincc -O2 -c -DMAIN %s -o main.o
// RUN: %plain-skeincc -Werror main.o part.o -o objects && ./objects | FileCheck %s
// RUN: llvm-ar rc libpart.a part.o && %plain-skeincc -Werror main.o -L. -lpart -o archive && ./archive | FileCheck %s
// RUN: %plain-skeincc -Werror -O1 part.o -DMAIN -x c %s -o language && ./language | FileCheck %s
// RUN: %plain-skeincc -Werror -r main.o part.o -o joined.o && %plain-skeincc joined.o -o joined && ./joined | FileCheck %s

// A shared object uses the program's runtime.
// RUN: %plain-skeincc -Werror -shared -O2 -DPART %s -o libshared.so
// RUN: llvm-nm -D --defined-only libshared.so | FileCheck --check-prefix=SHARED %s
// RUN: %plain-skeincc -Werror main.o -L. -lshared -Wl,-rpath,. -o dynamic && ./dynamic | FileCheck %s

// This tests other linkers, sections that are collected, and programs without the standard library.
// RUN: %plain-skeincc -Werror -fuse-ld=bfd main.o part.o -o bfd && ./bfd | FileCheck %s
// RUN: %plain-skeincc -Werror -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections %s -o collected && ./collected | FileCheck %s
// RUN: %plain-skeincc -Werror -nostdlib -shared part.o -o bare.so

// Nodes know each other's program by its build-id, whatever the user's link line asks for.
// RUN: %plain-skeincc -Wl,--build-id=none main.o part.o -o id && llvm-readelf -n id | FileCheck --check-prefix=ID %s
// RUN: llvm-readelf -h all | FileCheck --check-prefix=PIE %s

// CHECK: part says 42 on node 0 of 1
// SHARED-NOT: skein_
// SHARED: part
// ID: Build ID: {{[0-9a-f]+}}
// PIE: Type: DYN
#include <skein/skein.h>
#include <stdio.h>

int part(int *to);

#ifndef MAIN
int part(int *to) {
  skein_yield();
  *to = 42;
  return 0;
}
#endif

#ifndef PART
int main(void) {
  int value = 0;
  int status = part(&value);
  printf("part says %d on node %d of %d\n", value, skein_node(), skein_nodes());
  return status;
}
#endif
