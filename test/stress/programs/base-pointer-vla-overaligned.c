// A VLA and an over-aligned local in one frame: the frame's base lives in rbx, saved by the callee.
#include "hop.h"

static NOINLINE long frame(int n, int *out) {
  _Alignas(64) long block[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int vla[n];
  for (int i = 0; i < n; i++)
    vla[i] = i * 3;
  int *p = &vla[n / 2];
  long *q = &block[n % 8];
  hop();
  *out += vla[n - 1];
  hop();
  *p += (int)*q;
  long low = (long)((uintptr_t)block & 63);
  hop();
  return *p * 1000 + *q * 10 + vla[n / 2] + low;
}

int main(void) {
  int out = 0;
  for (int n = 1; n < 30; n += 3)
    printf("%ld\n", frame(n, &out));
  printf("%d\n", out);
}
