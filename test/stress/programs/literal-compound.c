// Compound literals: arrays and structs without a name, their addresses in locals, arguments and other literals.
#include "hop.h"

struct chain {
  int n;
  const struct chain *rest;
};

static NOINLINE int sum(const struct chain *c) {
  int s = 0;
  for (; c; c = c->rest) {
    hop();
    s = s * 3 + c->n;
  }
  return s;
}

static NOINLINE int last(int **list) {
  int *p = NULL;
  for (; *list; list++) {
    p = *list;
    hop();
    ++*p;
  }
  return *p;
}

int main(void) {
  for (int i = 0; i < 5; i++) {
    int x = i, y = i * 2;
    printf("%d\n", sum(&(struct chain){i, &(struct chain){x, &(struct chain){y, NULL}}}));
    int *p = (int[]){i, i + 1, i + 2};
    hop();
    printf("%d\n", last((int *[]){&x, &y, p + i % 3, NULL}));
    hop();
    printf("%d %d %d\n", x, y, p[0] + p[1] * 10 + p[2] * 100);
  }
}
