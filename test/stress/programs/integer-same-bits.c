// Integers with the same bits as a stack address are no pointers, and must not change. Another function stored the
// address in an integer array, so its type says integer all the time.
// refused: number
#include "hop.h"
#include <string.h>

struct pair {
  uintptr_t number;
  int *pointer;
};

static NOINLINE void fill(struct pair *p, uintptr_t *copy, int *local, int n) {
  for (int i = 0; i < n; i++) {
    p[i].pointer = local + i;
    p[i].number = (uintptr_t)(local + i);
    copy[i] = ~p[i].number;
  }
}

int main(void) {
  int local[4] = {1, 2, 3, 4};
  struct pair p[4];
  uintptr_t copy[4];
  fill(p, copy, local, 4);
  hop();
  for (int i = 0; i < 4; i++) {
    printf("%s %d\n", copy[i] == ~p[i].number ? "unchanged" : "changed", *p[i].pointer);
    hop();
  }
}
