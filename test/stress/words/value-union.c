// Unions and structs of unions go by value in registers and in memory.
#include "words.h"

union word {
  long *pointer;
  long number;
  double real;
};
struct two {
  union word a, b;
};
struct four {
  union word a[4];
};

static NOINLINE long use_two(struct two t, int which) {
  hop();
  return which ? *t.a.pointer + t.b.number : *t.b.pointer + t.a.number;
}
static NOINLINE long use_four(struct four f) {
  hop();
  long sum = *f.a[0].pointer + f.a[1].number;
  hop();
  return sum * 10 + *f.a[2].pointer + (long)f.a[3].real;
}
static long (*volatile two)(struct two, int) = use_two;
static long (*volatile four)(struct four) = use_four;

static NOINLINE long use(long *p) {
  struct two t = {{p}, {.number = 7}}, u = {{.number = 8}, {p}};
  struct four f = {{{p}, {.number = 1}, {p}, {.real = 2}}};
  long sum = two(t, 1);
  sum = sum * 100 + two(u, 0);
  return sum * 100 + four(f);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
