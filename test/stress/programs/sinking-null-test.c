// Whether a pointer was null, asked before and used after; the pointer itself dies at the call.
#include "hop.h"

static NOINLINE long tests(int **p, int n) {
  long bits = 0;
  for (int i = 0; i < n; i++) {
    int *q = p[i];
    int there = q != NULL;
    int value = there ? *q : -1;
    hop();
    bits = bits * 3 + (there ? value : 2);
    int *r = p[n - 1 - i];
    int both = there & (r != NULL);
    hop();
    bits += both ? 5 : 0;
  }
  return bits;
}

int main(void) {
  int a = 1, b = 2, c = 3;
  int *p[6] = {&a, NULL, &b, NULL, NULL, &c};
  printf("%ld\n", tests(p, 6));
}
