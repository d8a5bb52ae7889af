// Constructors before main, handlers after it, and exit from deep in the stack.
// refused: foreign
#include "hop.h"
#include <stdlib.h>

static int total;

static NOINLINE void add(int *to, int n) {
  int mine = n, *p = &mine;
  hop();
  *to += *p;
}

__attribute__((constructor)) static void before(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    add(&sum, i);
  total = sum;
}

static void after(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    add(&sum, total);
  printf("after %d\n", sum);
}

static NOINLINE void deep(int n, int *above) {
  int mine = *above + n;
  hop();
  if (n == 0) {
    printf("deep %d\n", mine);
    exit(0);
  }
  deep(n - 1, &mine);
  hop();
  printf("never %d\n", mine);
}

int main(void) {
  atexit(after);
  int start = total;
  deep(6, &start);
}
