// Equal expressions over two locals' addresses on both sides of a call and on both sides of a branch.
#include "hop.h"

struct s {
  int v[12];
};

static NOINLINE int *at(struct s *s, long i) { return hop_pointer(&s->v[i]); }

static NOINLINE int run(long i, long turn) {
  struct s x = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, y = {{2, 4, 6, 8}};
  int sum = *at(&x, i) + *at(&y, i);
  if (turn & 1) {
    x.v[i + 1] = 50;
    hop();
    x.v[i + 1] += 3;
    sum += *at(&x, i + 1);
  } else {
    y.v[i + 1] = 60;
    hop();
    y.v[i + 1] += 4;
    sum += *at(&y, i + 1);
  }
  x.v[i]++;
  y.v[i]++;
  hop();
  x.v[i]++;
  y.v[i]++;
  return sum * 10000 + *at(&x, i) * 100 + *at(&y, i) * 10 + x.v[i + 1] + y.v[i + 1];
}

int main(void) {
  for (long i = 0; i < 10; i += 3)
    printf("%d %d\n", run(i, 0), run(i, 1));
}
