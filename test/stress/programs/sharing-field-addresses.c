// Addresses of several fields of one large local, each passed to several calls in a row.
#include "hop.h"

struct record {
  char name[40];
  long sums[20];
  struct {
    int x, y;
  } at;
  double d;
};

static NOINLINE void bump(long *p, int *x, double *d) {
  hop();
  ++*p;
  ++*x;
  hop();
  *d *= 1.5;
}

static NOINLINE long run(int n) {
  struct record r = {.name = "record", .at = {n, -n}, .d = n};
  bump(&r.sums[7], &r.at.x, &r.d);
  bump(&r.sums[8], &r.at.y, &r.d);
  bump(&r.sums[7], &r.at.x, &r.d);
  r.name[0]++;
  hop();
  r.name[0]++;
  bump(&r.sums[7], &r.at.y, &r.d);
  return r.sums[7] * 1000 + r.sums[8] * 100 + r.at.x * 10 + r.at.y + (long)(r.d * 8) + r.name[0] + r.name[5];
}

int main(void) {
  for (int n = 1; n < 6; n++)
    printf("%ld\n", run(n));
}
