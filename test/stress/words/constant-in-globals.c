// Global words keep hidden addresses of the program, set at run time, from one call to the next.
// changes: globals
#include "words.h"

static long five(void) { return 5; }
static long six = 6;
static uintptr_t code, data;
static double real;
static char bytes[11];

static NOINLINE void fill(long (*volatile function)(void), long *volatile number) {
  code = ~(uintptr_t)function;
  data = (uintptr_t)number ^ key();
  real = (double)(uintptr_t)number;
  long *p = number;
  memcpy(bytes + 3, &p, sizeof p);
}

int main(void) {
  fill(five, &six);
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    long *p;
    memcpy(&p, bytes + 3, sizeof p);
    if (*(long *)(data ^ key()) != 6 || p != &six)
      sum += 1000;
    sum = sum * 10 + ((long (*)(void))~code)() + *(long *)(uintptr_t)real;
  }
  printf("%ld\n", sum);
}
