// A ring whose links are the exclusive or of both neighbours: no link is an address, not even at an end.
// refused: number
#include "hop.h"

struct node {
  int value;
  uintptr_t link;
};

static NOINLINE int walk(struct node *at, struct node *before, int steps) {
  int sum = 0;
  while (steps--) {
    sum = (sum * 3 + at->value) % 1000003;
    struct node *next = (struct node *)(at->link ^ (uintptr_t)before);
    before = at;
    at = next;
    hop();
  }
  return sum;
}

int main(void) {
  struct node n[5];
  for (int i = 0; i < 5; i++) {
    n[i].value = i + 1;
    n[i].link = (uintptr_t)&n[(i + 1) % 5] ^ (uintptr_t)&n[(i + 4) % 5];
  }
  hop();
  int forwards = walk(&n[0], &n[4], 12);
  printf("%d %d\n", forwards, walk(&n[3], &n[4], 12));
}
