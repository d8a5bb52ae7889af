// The __atomic and __sync builtins on pointers: exchange, compare, fetch-and-add (of bytes), generic copies.
#include "hop.h"

static NOINLINE int play(int **cell, int *a) {
  int *out, *in = a + 1;
  __atomic_exchange(cell, &in, &out, __ATOMIC_SEQ_CST);
  hop();
  int sum = *out;
  int *seen = __sync_val_compare_and_swap(cell, in, a + 3);
  hop();
  sum = sum * 10 + *seen;
  int *before = __atomic_fetch_add(cell, sizeof(int), __ATOMIC_RELAXED);
  hop();
  sum = sum * 10 + *before;
  __atomic_load(cell, &out, __ATOMIC_ACQUIRE);
  hop();
  sum = sum * 10 + *out;
  out = __sync_lock_test_and_set(cell, a);
  hop();
  return sum * 10 + *out;
}

int main(void) {
  int a[5] = {1, 2, 3, 4, 5};
  int *cell = a + 2;
  printf("%d\n", play(&cell, a));
  printf("%d\n", play(&cell, a));
  printf("%d\n", *cell);
}
