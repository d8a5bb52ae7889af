/* A thread stays while a variable of a shared library holds an address of its stack. The library may be compiled by
 * skeincc or another compiler, the variable may be exported or not, in a library linked or loaded later, or its only
 * copy may lie in a position-dependent program. */

// RUN: %skeincc -O2 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %skeincc -O2 -I%S/Inputs %s %t.so -o %t && %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O2 -fno-pic -no-pie -DCOPY -I%S/Inputs %s %t.so -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O2 -DLOADED -I%S/Inputs %s -o %t && %run -n 2 --timeout 30 %t %t.so | FileCheck %s
// RUN: %clang -O2 -fPIC -shared -DLIBRARY -DHIDDEN %s -o %t.so
// RUN: %skeincc -O2 -I%S/Inputs %s %t.so -o %t && %run -n 2 --timeout 30 %t | FileCheck --check-prefix=HIDDEN %s
// RUN: %skeincc -O2 -DLOADED -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 30 %t %t.so | FileCheck --check-prefix=HIDDEN %s
// CHECK: stays: skein_push_self: the global `kept` holds an address of its stack
// HIDDEN: stays: skein_push_self: the global `{{.*}}.so+0x{{[0-9a-f]+}}` holds an address of its stack
// CHECK-NEXT: increased to 8 on node 0
// CHECK-NEXT: leaves for node 1
// HIDDEN-NEXT: increased to 8 on node 0
// HIDDEN-NEXT: leaves for node 1

#ifdef LIBRARY
static int other;
#ifdef HIDDEN
static
#endif
    int *kept = &other;
void keep(int *address) { kept = address; }
void increase(void) { ++*kept; }
void forget(void) { kept = &other; }
#else
#include "check.h"
#include <dlfcn.h>
#include <skein/migration.h>

#ifdef LOADED
static void (*keep)(int *), (*increase)(void), (*forget)(void);
static void load(const char *library) {
  void *loaded = dlopen(library, RTLD_NOW);
  CHECK(loaded);
  keep = (void (*)(int *))dlsym(loaded, "keep");
  increase = (void (*)(void))dlsym(loaded, "increase");
  forget = (void (*)(void))dlsym(loaded, "forget");
}
#else
void keep(int *address);
void increase(void);
void forget(void);
static void load(const char *library) { (void)library; }
#endif
#ifdef COPY
extern int *kept;
#define keep(address) (kept = (address))
#endif

static void try_to_leave(void) {
  int local = 7;
  keep(&local);
  printf("%s: %s\n", skein_push_self(1) ? "stays" : "leaves", skein_error_text());
  increase();
  printf("increased to %d on node %d\n", local, skein_node());
  forget();
  fflush(stdout);
}

int main(int count, char **arguments) {
  load(count > 1 ? arguments[1] : NULL);
  try_to_leave();
  CHECK(skein_push_self(1) == 0);
  printf("leaves for node %d\n", skein_node());
  return 0;
}
#endif
