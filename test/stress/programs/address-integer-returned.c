// An address comes back from a call as an integer and goes into another call as an integer: in between no type tells
// that it is one.
#include "hop.h"

static NOINLINE uintptr_t as_number(int *p) {
  hop();
  return (uintptr_t)p;
}
static NOINLINE int read_number(uintptr_t n) {
  hop();
  return *(int *)n;
}

static NOINLINE int through(int *p) {
  uintptr_t n = as_number(p);
  hop();
  uintptr_t m = as_number(p + 1);
  hop();
  return read_number(n) * 10 + read_number(m);
}

int main(void) {
  int a[4] = {1, 2, 3, 4};
  for (int i = 0; i < 3; i++)
    printf("%d\n", through(a + i));
}
