// The address of a local is stored in a variable with a section of its own while functions below use it.
// refused: global
#include "hop.h"

__attribute__((section("own_section"))) int *holder = (int *)0;

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
