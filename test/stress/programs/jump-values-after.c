// What is needed after the second return: pointers in homes, conditional ones, volatile ones written after setjmp,
// aggregates, arguments, comparisons, and numbers in registers.
#include "hop.h"
#include <setjmp.h>
#include <stddef.h>

struct pair {
  int *first, *second;
};

static jmp_buf out;

static NOINLINE void jump(int value) {
  hop();
  longjmp(out, value);
}

static NOINLINE int unused_before(int *a, int *b, int n) {
  // Neither pointer is needed on the first way.
  if (setjmp(out) == 0) {
    hop();
    jump(n);
  }
  return *a * 10 + *b;
}

static NOINLINE int written_after(int n) {
  int x = 1, y = 2;
  int *volatile p = NULL;
  struct pair volatile both = {NULL, NULL};
  if (setjmp(out) == 0) {
    p = n % 2 ? &x : &y;
    both.first = &y;
    both.second = &x;
    hop();
    jump(3);
  }
  hop();
  return *p * 100 + *both.first * 10 + *both.second;
}

static NOINLINE int chosen(int n) {
  int x[2] = {5, 6}, y = 7;
  int *p = n % 3 == 0 ? x : n % 3 == 1 ? &x[1] : &y;
  int *q = n % 2 ? p : &y;
  int same = p == q;
  ptrdiff_t apart = &x[1] - &x[n % 2];
  int got = setjmp(out);
  if (got < 3) {
    hop();
    jump(got + 1);
  }
  hop();
  return *p * 1000 + *q * 100 + same * 10 + (int)apart;
}

static NOINLINE long many(int *a, long b, int *c, double d, char *e, long f) {
  long g = b * 3, h = b * 5, i = f * 7, j = f * 11, k = b ^ f;
  double l = d * 2;
  switch (setjmp(out)) {
  case 0:
    hop();
    jump(2);
  case 2:
    hop();
    jump(5);
  case 5:
    break;
  }
  hop();
  return *a + *c + e[1] + g + h + i + j + k + (long)l;
}

static NOINLINE int by_value(struct pair p, int n) {
  while (setjmp(out) < n)
    jump(n);
  hop();
  return *p.first - *p.second;
}

static NOINLINE struct pair result(int *x, int *y) {
  struct pair volatile r = {y, y};
  if (!setjmp(out)) {
    r.first = x;
    jump(1);
  }
  hop();
  return (struct pair){r.first, r.second};
}

struct big {
  int *words[9];
};
static NOINLINE struct big large(int *x) {
  struct big b = {{x, NULL, x + 1}};
  if (!setjmp(out))
    jump(1);
  b.words[8] = x + 2;
  return b;
}

int main(void) {
  int v[3] = {3, 4, 5};
  for (int n = 0; n < 6; n++) {
    printf("%d %d %d", unused_before(v, v + 1, n), written_after(n), chosen(n));
    printf(" %ld", many(v, n, v + 2, n * 0.5, "goose", n * 3));
    printf(" %d", by_value((struct pair){v + 2, v}, n));
    struct pair p = result(v, v + 1);
    struct big b = large(v);
    printf(" %d %d %d %d\n", *p.first, *p.second, *b.words[8], *b.words[2]);
  }
}
