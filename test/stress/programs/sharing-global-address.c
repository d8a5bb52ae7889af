// Addresses of globals and of their elements before and after calls: another image has them elsewhere.
#include "hop.h"

static int numbers[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
static struct {
  long a;
  int *p;
} record = {3, numbers + 4};

static NOINLINE int use(int *p, int *q) {
  hop();
  return *p * 10 + *q;
}

static NOINLINE int run(long i) {
  int *p = numbers + i;
  int sum = use(p, &numbers[3]);
  hop();
  sum += use(numbers + i, record.p);
  record.p = &numbers[9 - i];
  hop();
  int inside = p >= numbers && p < numbers + 10;
  sum += use(&numbers[3], p) + (int)record.a;
  return sum * 2 + inside;
}

int main(void) {
  for (long i = 0; i < 10; i++)
    printf("%d\n", run(hop_long(i)));
}
