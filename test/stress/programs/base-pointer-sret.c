// A function with a base pointer that returns a struct through memory (the hidden pointer comes back in rax).
#include "hop.h"

struct big {
  long n[6];
  int *p;
};

static NOINLINE struct big make(int n, int *p) {
  _Alignas(128) long seed[4] = {n, n + 1, n + 2, n + 3};
  long vla[n];
  for (int i = 0; i < n; i++)
    vla[i] = seed[i % 4];
  struct big b;
  hop();
  for (int i = 0; i < 6; i++)
    b.n[i] = vla[i % n];
  b.p = p;
  hop();
  return b;
}

static NOINLINE long use(int n, int *p) {
  struct big a = make(n, p), b = make(n + 1, p + 1);
  hop();
  long sum = make(n + 2, p).n[2];
  for (int i = 0; i < 6; i++)
    sum = sum * 3 + a.n[i] - b.n[i];
  hop();
  return sum + *a.p * 1000 + *b.p;
}

int main(void) {
  int v[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (int n = 1; n < 8; n++)
    printf("%ld\n", use(n, v + n));
}
