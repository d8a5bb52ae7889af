// The address of a local stored in a global while functions below use it.
// refused (not globals): global
#include "hop.h"

static int *current;
static struct {
  int depth;
  long *sum;
} context;

static NOINLINE void below(int n) {
  hop();
  *current += n;
  if (context.sum)
    *context.sum += *current;
  if (n)
    below(n - 1);
}

static NOINLINE long with(int n) {
  int mine = n;
  long sum = 0;
  int *before = current;
  current = &mine;
  context.sum = &sum;
  below(n);
  hop();
  context.sum = NULL;
  current = before;
  hop();
  return sum * 10 + mine;
}

int main(void) {
  for (int n = 0; n < 6; n++)
    printf("%ld\n", with(n));
}
