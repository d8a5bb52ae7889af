// A list whose links are the exclusive or of two neighbours' addresses, built and walked with calls between.
// refused: number
#include "hop.h"

struct node {
  int value;
  uintptr_t link;
};

static NOINLINE uintptr_t join(struct node *a, struct node *b) { return (uintptr_t)a ^ (uintptr_t)b; }

static NOINLINE int walk(struct node *from) {
  struct node *before = NULL;
  int sum = 0;
  while (from) {
    sum = sum * 3 + from->value;
    hop();
    struct node *next = (struct node *)(from->link ^ (uintptr_t)before);
    before = from;
    from = next;
  }
  return sum;
}

int main(void) {
  struct node n[7];
  for (int i = 0; i < 7; i++)
    n[i] = (struct node){i + 1, join(i > 0 ? &n[i - 1] : NULL, i < 6 ? &n[i + 1] : NULL)};
  printf("%d\n", walk(&n[0]));
  printf("%d\n", walk(&n[6]));
}
