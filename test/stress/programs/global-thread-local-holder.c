// The address of a local is stored in a thread-local variable, which is the thread's own and moves with it.
#include "hop.h"

static _Thread_local int *holder;

static NOINLINE int with(int n) {
  int a[2] = {n, n + 1};
  holder = a + 1;
  hop();
  int r = *holder * 10;
  hop();
  r += *holder;
  holder = NULL;
  return r;
}

int main(void) {
  for (int i = 0; i < 4; i++)
    printf("%d\n", with(i));
}
