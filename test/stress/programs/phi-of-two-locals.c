// A pointer that is one local or another according to a condition, used across calls, reassigned in a loop.
#include "hop.h"

static NOINLINE int flip(long way) {
  int a = 1, b = 2;
  int *p = way & 1 ? &a : &b;
  hop();
  *p += 10;
  for (int i = 0; i < 5; i++) {
    p = (way >> i) & 1 ? &a : p == &a ? &b : p;
    hop();
    *p = *p * 2 + i;
  }
  return a * 10000 + b;
}

int main(void) {
  for (long way = 0; way < 32; way += 5)
    printf("%d\n", flip(hop_long(way)));
}
