// Many flags from pointers, stored in an array or a bit set, read after the calls.
#include "hop.h"
#include <stdbool.h>

static NOINLINE unsigned flags(int **p, int *needle, int n) {
  bool is[16];
  unsigned set = 0;
  for (int i = 0; i < n; i++) {
    is[i] = p[i] == needle;
    bool before = p[i] < needle;
    hop();
    set |= (unsigned)is[i] << i;
    set |= (unsigned)before << (16 + i);
  }
  hop();
  for (int i = 0; i < n; i++)
    set ^= is[i] ? 0x80008000u : 0;
  return set;
}

int main(void) {
  int a[16];
  int *p[16];
  for (int i = 0; i < 16; i++) {
    a[i] = i;
    p[i] = a + i * 5 % 16;
  }
  for (int i = 0; i < 16; i++)
    printf("%08x\n", flags(p, a + i, 15));
}
