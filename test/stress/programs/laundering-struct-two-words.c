// {pointer, long} copied as two integers or as one vector, and swapped in an array.
#include "hop.h"

struct entry {
  const char *name;
  long weight;
};

static NOINLINE void sort(struct entry *e, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && e[j - 1].weight > e[j].weight; j--) {
      struct entry t = e[j];
      hop();
      e[j] = e[j - 1];
      hop();
      e[j - 1] = t;
    }
}

int main(void) {
  char a[] = "delta", b[] = "alpha", c[] = "charlie", d[] = "bravo", x[] = "echo";
  struct entry e[5] = {{a, 4}, {b, 1}, {c, 3}, {d, 2}, {x, 0}};
  sort(e, 5);
  for (int i = 0; i < 5; i++)
    printf("%s %ld\n", e[i].name, e[i].weight);
}
