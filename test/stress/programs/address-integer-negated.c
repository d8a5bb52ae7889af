// The negative of an address crosses a call: no map can describe it, so the thread must stay.
// refused (O0): number
#include "hop.h"

static NOINLINE int back(int *p) {
  uintptr_t minus = -(uintptr_t)p;
  hop();
  int *q = (int *)-minus;
  return *q;
}

int main(void) {
  int a[3] = {8, 9, 10};
  for (int i = 0; i < 3; i++)
    printf("%d\n", back(a + i));
}
