// memcpy carries a pointer into a long and, after a call, back.
#include "hop.h"
#include <string.h>

static NOINLINE int carry(int *p) {
  long l;
  memcpy(&l, &p, sizeof l);
  hop();
  int *q;
  memcpy(&q, &l, sizeof q);
  hop();
  return *q;
}

int main(void) {
  int a[3] = {31, 41, 59};
  for (int i = 0; i < 3; i++)
    printf("%d\n", carry(a + i));
}
