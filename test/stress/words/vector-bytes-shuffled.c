// Two addresses in a vector whose bytes are shuffled and added to.
// flags: -mssse3
#include "words.h"
#include <immintrin.h>
typedef unsigned char v16 __attribute__((vector_size(16)));
static NOINLINE v16 turn(v16 v) {
  return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0) + (v16){3};
}
static NOINLINE v16 back(v16 v) {
  v -= (v16){3};
  return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
static NOINLINE long use(long *p, long *q) {
  union {
    long *p[2];
    v16 v;
  } u = {{p, q}};
  v16 t = turn(u.v);
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    union {
      v16 v;
      long *p[2];
    } b = {back(t)};
    sum = sum * 100 + *b.p[0] * 10 + *b.p[1];
  }
  return sum;
}
int main(void) {
  long a = 5, b = 6;
  hop_pointer(&a);
  hop_pointer(&b);
  printf("%ld\n", use(&a, &b));
}
