// The address of a local is stored as an integer in a global while functions below use it.
// refused (globals): global-word
// refused (not globals): global
#include "hop.h"

static uintptr_t holder;
static unsigned char bytes[24];

static NOINLINE int with(int n) {
  int a[2] = {n, n + 1};
  holder = (uintptr_t)(a + 1);
  hop();
  int r = *(int *)holder * 10;
  holder = 0;
  int *p = a;
  __builtin_memcpy(bytes + 8, &p, sizeof p);
  hop();
  __builtin_memcpy(&p, bytes + 8, sizeof p);
  __builtin_memset(bytes, 0, sizeof bytes);
  return r + *p;
}

int main(void) {
  for (int i = 0; i < 4; i++)
    printf("%d\n", with(i));
}
