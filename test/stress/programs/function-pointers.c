// Function pointers in locals, arrays, structs, arguments and returns; compared after moves.
#include "hop.h"

typedef int operation(int *, int);
static int add(int *a, int b) {
  hop();
  return *a += b;
}
static int multiply(int *a, int b) {
  hop();
  return *a *= b;
}
static NOINLINE operation *choose(int which) {
  hop();
  return which ? multiply : add;
}
static NOINLINE int apply(operation *const *f, int n, int *to) {
  int multiplications = 0;
  for (int i = 0; i < n; i++) {
    operation *g = f[i];
    hop();
    g(to, i + 2);
    multiplications += g == multiply;
  }
  return multiplications;
}

int main(void) {
  operation *f[7];
  struct {
    int n;
    operation *last;
  } s = {7, add};
  for (int i = 0; i < 7; i++)
    f[i] = choose(i * 5 % 3 == 1);
  int value = 1;
  int m = apply(f, s.n, &value);
  hop();
  int last = s.last(&value, 3);
  printf("%d %d %d\n", m, value, last);
  printf("%d\n", (f[0] == s.last) + (choose(1) == multiply) * 2);
}
