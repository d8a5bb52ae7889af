// Constant and mutable tables of function pointers and of addresses of globals, walked by pointers to their elements.
#include "hop.h"

static int a = 1, b = 2, c[3] = {3, 4, 5};
static int get_a(void) { return hop(), a; }
static int get_b(void) { return hop(), b; }
static int *const addresses[] = {&a, &b, c, c + 2, &c[1]};
static int (*table[])(void) = {get_a, get_b};
static const struct {
  const char *name;
  int (*get)(void);
  int *at;
} rows[] = {{"a", get_a, &a}, {"b", get_b, &b}, {"c", NULL, c}};

static NOINLINE int walk(int *const *from, int *const *to) {
  int sum = 0;
  for (int *const *p = from; p < to; p++) {
    hop();
    sum = sum * 10 + **p;
    ++**p;
  }
  return sum;
}

int main(void) {
  printf("%d\n", walk(addresses, addresses + 5));
  int (**f)(void) = table;
  hop();
  int first = f[0]();
  hop();
  printf("%d %d\n", first, (*++f)());
  for (int i = 0; i < 3; i++) {
    const char *name = rows[i].name;
    int n = rows[i].get ? rows[i].get() : -1;
    hop();
    printf("%s %d %d\n", name, n, *rows[i].at);
  }
}
