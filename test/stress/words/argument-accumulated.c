// The sum of several addresses is accumulated in a loop over calls, and taken apart again.
#include "words.h"

static NOINLINE long use(long **p, int count) {
  uintptr_t sum = 0, mixed = 0;
  for (int i = 0; i < count; i++) {
    hop();
    sum += (uintptr_t)p[i];
    mixed = mixed * 3 + (uintptr_t)p[i];
    hop();
  }
  for (int i = 1; i < count; i++)
    sum -= (uintptr_t)p[i];
  uintptr_t again = 0;
  for (int i = 0; i < count; i++)
    again = again * 3 + (uintptr_t)p[i];
  return *(long *)sum * 10 + (again == mixed);
}

int main(void) {
  long a = 1, b = 2, c = 3;
  long *p[] = {&a, &b, &c};
  hop_pointer(p);
  printf("%ld\n", use(p, 3));
}
