// A function with hundreds of pointers live across each call.
#include "hop.h"

#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define ALL(m) TEN(m, 1) TEN(m, 2) TEN(m, 3) TEN(m, 4) TEN(m, 5) TEN(m, 6) TEN(m, 7) TEN(m, 8) TEN(m, 9)
#define DEFINE(n) int *p##n = hop_pointer(a + (n) * 7 % 90), *q##n = p##n + 1;
#define ADD(n) sum = (sum * 3 + *p##n - *q##n * 2) % 1000003;

static NOINLINE long run(int *a) {
  long sum = 0;
  ALL(DEFINE)
  hop();
  ALL(ADD)
  hop();
  ALL(ADD)
  return sum;
}

int main(void) {
  int a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i * i % 97;
  printf("%ld\n", run(a));
}
