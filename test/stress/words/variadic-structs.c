// Variadic arguments: unions and bytes in structs of 16 bytes and more, among them in memory.
#include "words.h"
#include <stdarg.h>

union word {
  long *pointer;
  double real;
};
struct pair {
  union word word;
  long number;
};
struct box {
  unsigned char bytes[24];
};

static NOINLINE long sum(int count, ...) {
  va_list list;
  va_start(list, count);
  long total = 0;
  for (int i = 0; i < count; i++) {
    hop();
    struct pair p = va_arg(list, struct pair);
    hop();
    struct box b = va_arg(list, struct box);
    hop();
    long *q;
    memcpy(&q, b.bytes + 8, sizeof q);
    total = total * 3 + *p.word.pointer + p.number + *q;
  }
  va_end(list);
  return total;
}
static long (*volatile sum_of)(int, ...) = sum;

static NOINLINE long use(long *p) {
  struct pair w = {{p}, 1};
  struct box b = {{0}};
  memcpy(b.bytes + 8, &p, sizeof p);
  return sum_of(3, w, b, w, b, w, b);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
