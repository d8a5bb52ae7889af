// A number that is made of an address of a library which was loaded later keeps all threads on their node, even if the
// program lies at the same address on all nodes. Before that they may leave.
//
// RUN: echo 'int later(void) { return 7; }' | %clang -shared -fPIC -xc - -o %t.so
// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t %t.so | FileCheck %s
//
// CHECK: before 0, 0, after 1
// CHECK-NEXT: an address of a library that was loaded later was made into a number in `hash` ({{.*}}:[[#@LINE+7]])
#include <dlfcn.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>

uint64_t kept;
__attribute__((noinline)) static void hash(void *f) { kept = (uintptr_t)f * UINT64_C(0x9e3779b97f4a7c15); }

int main(int count, char **arguments) {
  const char *path = count > 1 ? arguments[1] : "";
  int there = skein_push_self(1), back = skein_push_self(0);
  void *library = dlopen(path, RTLD_NOW);
  void *later = library ? dlsym(library, "later") : NULL;
  hash((void *)main);
  if (later)
    hash(later);
  library = later = NULL;
  int after = skein_push_self(1);
  printf("before %d, %d, after %d\n%s\n", there, back, after, skein_error_text());
}
