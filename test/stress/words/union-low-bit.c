// Tagged values: a small integer with a one in the lowest bit, or an address.
#include "words.h"

typedef uintptr_t value;

static value from_long(long n) { return (value)n << 1 | 1; }

static NOINLINE long add(value a, value b) {
  hop();
  long x = a & 1 ? (long)a >> 1 : *(long *)a;
  hop();
  long y = b & 1 ? (long)b >> 1 : *(long *)b;
  return x + y;
}

static NOINLINE long all(value *v, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum = add(v[i], from_long(sum));
  return sum;
}

int main(void) {
  long a = 100, b = 200;
  value v[] = {from_long(7), (value)&a, (value)&b, from_long(-1)};
  printf("%ld\n", all(v, 4));
}
