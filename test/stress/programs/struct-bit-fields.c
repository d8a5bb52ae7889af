// Bit-fields beside a pointer in one struct, changed across calls; and bit-fields that fill the pointer's first word.
#include "hop.h"

struct flags {
  unsigned a : 3, b : 7;
  signed c : 5;
  unsigned long d : 40;
  int *p;
  unsigned e : 1;
};

static NOINLINE void turn(struct flags *f) {
  f->a++;
  hop();
  f->b += (unsigned)*f->p;
  f->c--;
  hop();
  f->d = f->d * 3 + f->b;
  f->e ^= 1;
}

int main(void) {
  int x = 9, y = 11;
  struct flags f = {1, 2, 3, 4, &x, 0}, g = f;
  g.p = &y;
  for (int i = 0; i < 12; i++) {
    turn(&f);
    turn(&g);
    struct flags t = f;
    f = g;
    hop();
    g = t;
    printf("%u %u %d %lu %d %u\n", f.a, f.b, f.c, (unsigned long)f.d, *f.p, f.e);
  }
}
