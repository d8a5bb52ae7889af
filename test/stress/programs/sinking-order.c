// Relational comparisons of two pointers into one array, kept across a call in a loop that moves both.
#include "hop.h"

static NOINLINE int partition(int *low, int *high) {
  int pivot = *low, swaps = 0;
  for (;;) {
    while (low < high && *high >= pivot)
      high--;
    while (low < high && *low <= pivot)
      low++;
    int crossed = low >= high;
    int far = high - low > 3;
    hop();
    if (crossed)
      return swaps;
    int t = *low;
    *low = *high;
    *high = t;
    swaps += far ? 10 : 1;
  }
}

int main(void) {
  int a[24];
  for (int i = 0; i < 24; i++)
    a[i] = (i * 37 + 11) % 41;
  printf("%d", partition(a, a + 23));
  for (int i = 0; i < 24; i++)
    printf(" %d", a[i]);
  printf("\n");
}
