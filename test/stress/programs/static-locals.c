// Static locals that point to static data: their words are image addresses, read and advanced across calls.
#include "hop.h"

static NOINLINE int next(void) {
  static const int primes[] = {2, 3, 5, 7, 11, 13};
  static const int *at = primes;
  static struct {
    const int *first, **cursor;
  } const about = {primes, &at};
  const int *p = at;
  hop();
  if (++at == primes + 6)
    at = about.first;
  hop();
  return *p * 100 + (int)(*about.cursor - primes);
}

static NOINLINE const char *name(int n) {
  static const char *const names[] = {"none", "one", "two"};
  static const char *last = "start";
  const char *before = last;
  last = names[n % 3];
  hop();
  return before;
}

int main(void) {
  for (int i = 0; i < 14; i++)
    printf("%d %s\n", next(), name(i));
}
