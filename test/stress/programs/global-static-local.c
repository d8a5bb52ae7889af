// A static local that remembers the address of a caller's local between calls.
// refused (not globals): global
#include "hop.h"

static NOINLINE int remember(int *p) {
  static int *last;
  int before = last ? *last : -1;
  last = p;
  hop();
  int now = last ? *last * 100 : 0;
  return before + now;
}

int main(void) {
  int a = 1, b = 2, sum = 0;
  for (int i = 0; i < 4; i++) {
    sum = sum * 3 + remember(i & 1 ? &a : &b);
    hop();
    a += 3;
    b += 5;
  }
  printf("%d\n", sum + remember(NULL));
}
