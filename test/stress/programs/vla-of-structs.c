// A VLA of structs with pointers among other fields, linked into a list.
#include "hop.h"

struct item {
  char c;
  struct item *next;
  int n;
  double *weight;
};

static NOINLINE double total(struct item *list) {
  double sum = 0;
  for (struct item *i = list; i; i = i->next) {
    hop();
    sum = sum * 0.5 + *i->weight * i->n + i->c;
  }
  return sum;
}

static NOINLINE double run(int n) {
  double w[n];
  struct item items[n];
  for (int i = 0; i < n; i++) {
    w[i] = i + 0.5;
    items[i] = (struct item){(char)i, i ? &items[i - 1] : NULL, n - i, &w[n - 1 - i]};
    hop();
  }
  return total(&items[n - 1]);
}

int main(void) {
  for (int n = 1; n < 20; n += 3)
    printf("%.6f\n", run(n));
}
