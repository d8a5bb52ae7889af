// The low 32 bits of a difference and of an address: the first is invariant, the second is not and pins.
// refused (O0): number
#include "hop.h"

static NOINLINE int apart(char *p, char *q) {
  uint32_t low = (uint32_t)(uintptr_t)p;
  int d = (int)((uint32_t)(uintptr_t)q - low);
  hop();
  int e = (int)((uint32_t)(uintptr_t)q - low);
  hop();
  return d == e ? d : -1000;
}

int main(void) {
  char a[100] = {0};
  for (int i = 0; i < 100; i += 9)
    printf("%d\n", apart(a + i, a + 99 - i));
}
