// atomic_exchange on a pointer returns an integer in IR; the old pointer is used after a call.
#include "hop.h"
#include <stdatomic.h>

static NOINLINE int rotate(int *_Atomic *cell, int *fresh) {
  int *old = atomic_exchange(cell, fresh);
  hop();
  int sum = *old * 10;
  int *now = atomic_load(cell);
  hop();
  return sum + *now;
}

int main(void) {
  int a[6] = {1, 2, 3, 4, 5, 6};
  int *_Atomic cell = a;
  for (int i = 1; i < 6; i++)
    printf("%d\n", rotate(&cell, a + i));
}
