// The middle of a range computed with integers, as a binary search by addresses does; the midpoint crosses calls.
#include "hop.h"

static NOINLINE int lower(int *low, int *high, int key) {
  int steps = 0;
  while (low < high) {
    uintptr_t half = ((uintptr_t)low + (uintptr_t)high) / 2;
    hop();
    int *mid = (int *)(half & ~(uintptr_t)3);
    if (*mid < key)
      low = mid + 1;
    else
      high = mid;
    steps++;
    hop();
  }
  return *low * 100 + (steps > 0);
}

int main(void) {
  _Alignas(16) int a[17];
  for (int i = 0; i < 17; i++)
    a[i] = i * 3;
  for (int key = 0; key < 48; key += 5)
    printf("%d\n", lower(a, a + 16, key));
}
