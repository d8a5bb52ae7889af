// Exit handlers use variables of main, which registers them, changes the variables and ends at different places.
// refused: foreign
// refused (not globals): global
#include "hop.h"
#include <stdlib.h>

static int total, order;
static int *local;

static void first(void) { printf("first %d %d %d\n", ++order, total, *local); }
static void last(void) { printf("last %d %d %d\n", ++order, total, *local); }

static NOINLINE void step(int *sum, int n) {
  int mine = n, *p = &mine;
  hop();
  *sum += *p;
  total += n;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 9; i++) {
    step(&sum, i);
    if (i == 2)
      atexit(last);
    if (i == 5)
      atexit(first);
  }
  local = &sum;
  hop();
  printf("main %d %d\n", sum, total);
  if (total == 36)
    exit(sum / 6);
  return 1;
}
