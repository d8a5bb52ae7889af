// A comparison made before a call and used after it: sunk past the call it would compare an old address with a new one.
#include "hop.h"

static NOINLINE int pick(int *outer) {
  int local[4] = {1, 2, 3, 4};
  int *p = hop_long(1) ? local : outer;
  int same = p == local;
  hop();
  int sum = local[1];
  if (same)
    sum += 100;
  hop();
  return sum + *p + (same ? local[3] : outer[0]);
}

int main(void) {
  int outer[2] = {50, 60};
  for (int i = 0; i < 10; i++) {
    outer[0] += i;
    printf("%d\n", pick(outer));
  }
}
