// A callee stores addresses of one caller's local in another's struct; each is used frames away.
#include "hop.h"

struct registry {
  int count;
  int *who[8];
  struct registry *outer;
};

static NOINLINE void enrol(struct registry *r, int *who) {
  hop();
  r->who[r->count++] = who;
  if (r->outer)
    enrol(r->outer, who);
}

static NOINLINE int total(const struct registry *r) {
  int sum = 0;
  for (int i = 0; i < r->count; i++) {
    hop();
    sum = sum * 3 + *r->who[i];
  }
  return sum;
}

static NOINLINE int level(struct registry *outer, int depth) {
  int mine = depth * 11;
  struct registry r = {0, {0}, outer};
  enrol(&r, &mine);
  int below = depth ? level(&r, depth - 1) : 0;
  hop();
  mine++;
  int result = below * 2 + total(&r);
  for (struct registry *o = outer; o; o = o->outer)
    o->count--;
  return result + (outer ? outer->count : 0);
}

int main(void) {
  for (int depth = 0; depth < 7; depth++)
    printf("%d\n", level(NULL, depth));
}
