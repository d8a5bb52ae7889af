// Slices {pointer, length} passed and returned by value in two registers, split and joined by recursion.
#include "hop.h"

struct slice {
  int *at;
  size_t length;
};

static NOINLINE struct slice part(struct slice s, size_t from, size_t to) {
  hop();
  return (struct slice){s.at + from, to - from};
}

static NOINLINE struct slice longer(struct slice a, struct slice b) {
  hop();
  return a.length >= b.length ? a : b;
}

static NOINLINE struct slice run_of_even(struct slice s) {
  if (s.length == 0 || (s.length == 1 && *s.at % 2))
    return part(s, 0, 0);
  if (s.length == 1)
    return s;
  size_t half = s.length / 2, low = half, high = half;
  struct slice best = longer(run_of_even(part(s, 0, half)), run_of_even(part(s, half, s.length)));
  while (low > 0 && s.at[low - 1] % 2 == 0)
    low--;
  while (high < s.length && s.at[high] % 2 == 0)
    high++;
  return longer(best, part(s, low, high));
}

int main(void) {
  int a[24];
  for (int i = 0; i < 24; i++)
    a[i] = i * i % 7 + i % 5;
  struct slice s = run_of_even((struct slice){a, 24});
  printf("%ld %zu\n", (long)(s.at - a), s.length);
}
