// A unit with private globals declares variables by hand, and must reach each where it is: the thread's own, a
// constant, one of a unit compiled without the option, or a shared library's. That holds under stress, and after moves
// to a node where the program and the library lie elsewhere.
// RUN: %clang -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %skeincc -fskein-stress=calls -fskein-globals=private -DOWN -O1 -c %s -o %t.own.o
// RUN: %skeincc -fskein-stress=calls -DPROCESS -O1 -c %s -o %t.process.o
// RUN: %skeincc -fskein-stress=calls -fskein-globals=private -O0 %s %t.own.o %t.process.o %t.so -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-stress=calls -fskein-globals=private -O2 %s %t.own.o %t.process.o %t.so -o %t && %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=walk=on,seed=3 %skein run -n 2 %t | FileCheck %s
// CHECK: one two three
// CHECK-NEXT: 3 5 1 40 0
#include <stdio.h>
struct pair {
  int number, *where;
};

#ifdef LIBRARY
int of_library = 40;
#elif defined(OWN)
const char *const names[] = {"one", "two", "three", 0};
int own = 2;
struct pair pairs[2] = {{1, 0}, {2, &own}};
void bump(void) { own++; }
#elif defined(PROCESS)
int of_process = 100;
#else
extern char *names[];
extern int own, of_process, of_library;
extern struct pair pairs[];
extern int nowhere __attribute__((weak));
void bump(void);

static int *const known[] = {&own, &of_process, &of_library, &pairs[1].number};

int main(void) {
  int local = 4;
  pairs[0].where = &local;
  for (int i = 0; names[i]; i++)
    printf("%s%c", names[i], names[i + 1] ? ' ' : '\n');
  bump();
  (*pairs[0].where)++;
  int before = of_process;
  bump();
  printf("%d %d %d %d %d\n", *known[0] + own - *pairs[1].where - 1, local, *known[1] == before, *known[2], &nowhere != 0);
  return 0;
}
#endif
