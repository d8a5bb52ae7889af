// Arrays of pointers to locals sorted by insertion, by heap and by hand-written quicksort.
#include "hop.h"

static NOINLINE int less(int *const *a, int *const *b) {
  hop();
  return **a < **b;
}

static NOINLINE void insertion(int **p, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && less(&p[j], &p[j - 1]); j--) {
      int *t = p[j];
      p[j] = p[j - 1];
      p[j - 1] = t;
    }
}

static NOINLINE void quick(int **low, int **high) {
  while (high - low > 1) {
    int **pivot = low, **store = low + 1;
    for (int **p = low + 1; p < high; p++)
      if (less(p, pivot)) {
        int *t = *p;
        *p = *store;
        *store++ = t;
      }
    int *t = *pivot;
    *pivot = store[-1];
    store[-1] = t;
    quick(low, store - 1);
    low = store;
  }
}

int main(void) {
  int v[30];
  int *p[30], *q[30];
  for (int i = 0; i < 30; i++) {
    v[i] = i * 17 % 31;
    p[i] = q[i] = v + i;
  }
  insertion(p, 30);
  quick(q, q + 30);
  int same = 1;
  for (int i = 0; i < 30; i++) {
    printf("%d ", *p[i]);
    same &= p[i] == q[i];
  }
  printf("%d\n", same);
}
