// A pointer cast to an integer, kept in a local across a call, and cast back.
#include "hop.h"

static NOINLINE int through(int *p) {
  uintptr_t n = (uintptr_t)p;
  hop();
  int *q = (int *)n;
  int first = *q;
  hop();
  return first * 10 + *(int *)(n + sizeof(int));
}

int main(void) {
  int a[4] = {4, 5, 6, 7};
  for (int i = 0; i < 3; i++)
    printf("%d\n", through(a + i));
}
