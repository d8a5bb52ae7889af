// qsort with a context: the keys are halves of addresses.
#include "words.h"

#define _GNU_SOURCE
static int compare(const void *a, const void *b, void *context) {
  hop();
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y) + 0 * *(int *)context;
}
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
static NOINLINE long use(long *p) {
  long n[3] = {*p, 6, 7};
  uint32_t keys[3];
  uint32_t high = (uint32_t)((uintptr_t)n >> 32);
  int context = 1;
  for (int i = 0; i < 3; i++)
    keys[i] = (uint32_t)(uintptr_t)&n[2 - i];
  qsort_r(keys, 3, sizeof *keys, compare, &context);
  hop();
  long s = 0;
  for (int i = 0; i < 3; i++)
    s = s * 10 + *(long *)((uintptr_t)high << 32 | keys[i]);
  return s;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
