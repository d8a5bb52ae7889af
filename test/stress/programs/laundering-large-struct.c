// A struct of 320 bytes, a third of it pointers, copied by assignment (a memcpy), by value and through a temporary.
#include "hop.h"

struct large {
  struct {
    long a;
    int *p;
    double d;
  } row[13];
  char tail[8];
};

static NOINLINE long total(struct large l) {
  long sum = 0;
  for (int i = 0; i < 13; i++) {
    sum = sum * 3 + *l.row[i].p + l.row[i].a + (long)l.row[i].d;
    hop();
  }
  return sum + l.tail[7];
}

static NOINLINE void exchange(struct large *x, struct large *y) {
  struct large t = *x;
  hop();
  *x = *y;
  hop();
  *y = t;
  hop();
}

int main(void) {
  int n[26];
  struct large x, y;
  for (int i = 0; i < 13; i++) {
    n[i] = i;
    n[25 - i] = -i;
    x.row[i].a = i * i;
    x.row[i].p = n + i;
    x.row[i].d = i / 2.0;
    y.row[i].a = -i;
    y.row[i].p = n + 25 - i;
    y.row[i].d = i * 4.0;
  }
  x.tail[7] = 1;
  y.tail[7] = 2;
  printf("%ld %ld\n", total(x), total(y));
  exchange(&x, &y);
  printf("%ld %ld\n", total(x), total(y));
}
