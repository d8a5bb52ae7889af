// asm goto with outputs: the block that follows uses pointers from before.
#include "hop.h"

static NOINLINE int run(long *p, long limit) {
  long *q = p + 1;
  int rounds = 0;
again:
  hop();
  __asm__ goto("cmpq %1, (%0)\n\tjge %l2" : : "r"(p), "r"(limit) : "cc", "memory" : done);
  *p += *q;
  hop();
  rounds++;
  goto again;
done:
  hop();
  return rounds * 1000 + (int)*p + (int)*q;
}

int main(void) {
  for (long i = 1; i < 6; i++) {
    long a[2] = {i, i * 2};
    printf("%d\n", run(a, 40));
  }
}
