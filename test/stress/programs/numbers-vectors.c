// Vectors of floats, ints and shorts live across calls, in locals, arrays and structs next to pointers.
#include "hop.h"

typedef float floats __attribute__((vector_size(16)));
typedef int ints __attribute__((vector_size(16)));
typedef short shorts __attribute__((vector_size(32)));
struct mixed {
  floats f;
  int *p;
  ints n;
};

static NOINLINE ints shift(ints v, int *by) {
  hop();
  return v << *by;
}

static NOINLINE float use(struct mixed *m, shorts s) {
  floats f = m->f * 2;
  ints n = shift(m->n, m->p);
  hop();
  shorts t = s * s;
  hop();
  float sum = 0;
  for (int i = 0; i < 4; i++)
    sum += f[i] + (float)n[i] + t[i] + t[i + 12];
  m->f += f;
  m->n ^= n;
  return sum;
}

int main(void) {
  int by = 1;
  struct mixed m = {{1, 2, 3, 4}, &by, {5, 6, 7, 8}};
  shorts s;
  for (int i = 0; i < 16; i++)
    s[i] = (short)(i * 3);
  for (int i = 0; i < 6; i++) {
    printf("%g\n", use(&m, s));
    by = (by + 1) % 4;
  }
}
