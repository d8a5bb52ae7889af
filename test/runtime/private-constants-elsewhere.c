// A constant whose initialiser names a private variable is each thread's own, and other units, compiled alike, must
// reach the thread's. They used to take it for the process's, and died in the template.
// RUN: %skeincc -fskein-globals=private -DOWN -O1 -c %s -o %t.own.o
// RUN: %skeincc -fskein-globals=private -O0 %s %t.own.o -o %t && %skein run -n 2 %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -O2 %s %t.own.o -o %t && %skein run -n 2 %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O2 %s %t.own.o -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -flto -O2 -DOWN -c %s -o %t.lto.o
// RUN: %skeincc -fskein-globals=private -flto -O2 %s %t.lto.o -o %t && %skein run -n 2 %t | FileCheck %s
// CHECK: thread 10: 13 13, here yes, never moves 77
// CHECK: thread 20: 23 23, here yes, never moves 77
// CHECK: main: 2 2, here yes, never moves 77
#include <skein/skein.h>
#include <stdio.h>

struct object {
  int *counter;
  const char *name;
};
#ifdef OWN
int counter = 2;
const struct object object = {&counter, "object"};
const unsigned long as_number = (unsigned long)&counter;
const long fixed[2] = {77, 78};
#else
extern int counter;
extern const struct object object;
extern const unsigned long as_number;
extern const long fixed[];

static void tell(const char *who, int n) {
  printf("%s", who);
  if (n)
    printf(" %d", n);
  printf(": %d %d, here %s, never moves %ld\n", counter, *object.counter,
         object.counter == &counter && as_number == (unsigned long)&counter ? "yes" : "no", fixed[0]);
}

static long work(long n) {
  counter += (int)n;
  skein_push_self(!skein_node());
  ++*object.counter;
  tell("thread", (int)n);
  fflush(stdout);
  skein_push_self(0);
  return 0;
}

int main(void) {
  for (long n = 10; n <= 20; n += 10)
    skein_join(skein_spawn(work, n));
  tell("main", 0);
}
#endif
