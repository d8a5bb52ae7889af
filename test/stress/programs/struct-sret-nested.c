// Functions that return large structs to one another; the returned pointer (rax) is used by the caller.
#include "hop.h"

struct state {
  int *at;
  long sum[7];
  const char *name;
};

static NOINLINE struct state start(int *at, const char *name) {
  struct state s = {at, {0}, name};
  hop();
  s.sum[0] = *at;
  return s;
}

static NOINLINE struct state advance(struct state s) {
  hop();
  s.sum[1] += *s.at++;
  hop();
  return s;
}

static NOINLINE struct state twice(struct state s) {
  struct state t = advance(advance(s));
  hop();
  t.sum[2] = s.sum[1];
  return t;
}

static NOINLINE void store(struct state *to, int *p) {
  *to = twice(start(p, "stored"));
  hop();
  to[1] = advance(*to);
}

int main(void) {
  int a[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  struct state s[2];
  for (int i = 0; i < 7; i++) {
    store(s, a + i);
    printf("%ld %ld %ld %d %s %s\n", s[0].sum[1], s[1].sum[1], s[0].sum[2], *s[1].at, s[0].name, s[1].name);
    printf("%ld\n", twice(twice(start(a, "x"))).sum[1]);
  }
}
