// A doubly linked list of which each node holds the exclusive or of its neighbours.
#include "words.h"

struct node {
  uintptr_t both;
  long value;
};

static NOINLINE long walk(struct node *first) {
  long sum = 0;
  uintptr_t before = 0;
  for (struct node *n = first; n;) {
    hop();
    sum = sum * 10 + n->value;
    struct node *next = (struct node *)(before ^ n->both);
    before = (uintptr_t)n;
    n = next;
  }
  return sum;
}

int main(void) {
  struct node n[4];
  for (int i = 0; i < 4; i++)
    n[i] = (struct node){(i ? (uintptr_t)(n + i - 1) : 0) ^ (i < 3 ? (uintptr_t)(n + i + 1) : 0), i + 1};
  long forwards = walk(n);
  hop();
  printf("%ld %ld\n", forwards, walk(n + 3));
}
