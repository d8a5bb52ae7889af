// An XOR-linked list whose links are stored as bytes.
#include "words.h"

struct node {
  unsigned char link[8];
  long value;
};
static NOINLINE void set(struct node *n, struct node *a, struct node *b) {
  uint64_t v = (uintptr_t)a ^ (uintptr_t)b;
  for (int i = 0; i < 8; i++)
    n->link[i] = (unsigned char)(v >> 8 * i);
}
static NOINLINE struct node *other(struct node *n, struct node *from) {
  uint64_t v = 0;
  for (int i = 0; i < 8; i++)
    v |= (uint64_t)n->link[i] << 8 * i;
  return (struct node *)(v ^ (uintptr_t)from);
}
static NOINLINE long use(long *p) {
  struct node n[3] = {{{0}, *p}, {{0}, 6}, {{0}, 7}};
  for (int i = 0; i < 3; i++)
    set(&n[i], i ? &n[i - 1] : 0, i < 2 ? &n[i + 1] : 0);
  long s = 0;
  struct node *from = 0, *at = n;
  while (at) {
    hop();
    s = s * 10 + at->value;
    struct node *next = other(at, from);
    from = at, at = next;
  }
  return s;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
