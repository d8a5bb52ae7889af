// An address as two 32-bit halves, in a struct and in arguments.
// refused: number
#include "hop.h"

struct halves {
  uint32_t high, low;
};

static NOINLINE struct halves split(int *p) {
  return (struct halves){(uint32_t)((uintptr_t)p >> 32), (uint32_t)(uintptr_t)p};
}
static NOINLINE int *join(uint32_t high, uint32_t low) { return (int *)((uintptr_t)high << 32 | low); }

int main(void) {
  int a[3] = {4, 5, 6};
  struct halves h[3];
  for (int i = 0; i < 3; i++)
    h[i] = split(a + i);
  hop();
  for (int i = 0; i < 3; i++) {
    printf("%d\n", *join(h[i].high, h[i].low));
    hop();
  }
}
