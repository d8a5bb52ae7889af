// Empty functions, functions that only pass on, and functions without a frame between frames with pointers.
#include "hop.h"

static NOINLINE void empty(void) { __asm__ volatile(""); }
static NOINLINE void forward(void) { hop(); }
static NOINLINE void forward_twice(void) {
  forward();
  forward();
}
static NOINLINE int *identity(int *p) { return p; }
static int *(*volatile opaque)(int *) = identity;
static void (*volatile f[3])(void) = {empty, forward, forward_twice};

int main(void) {
  int a[3] = {1, 2, 3}, *p = a, **pp = &p;
  for (int i = 0; i < 9; i++) {
    f[i % 3]();
    *pp = opaque(a + i % 3);
    f[(i + 1) % 3]();
    *opaque(p) += **pp + i;
  }
  printf("%d %d %d %ld\n", a[0], a[1], a[2], (long)(p - a));
}
