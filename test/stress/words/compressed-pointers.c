// 32-bit pointers relative to the middle of the stack, whose base is kept complemented.
#include "words.h"

struct node {
  int32_t next;
  int value;
};
static NOINLINE long use(long *p) {
  struct node n[4];
  uintptr_t base = ~((uintptr_t)&n[0] - 4096);
  for (int i = 0; i < 4; i++)
    n[i] = (struct node){i < 3 ? (int32_t)((uintptr_t)&n[3 - i] - ~base) : 0, (int)*p + i};
  long s = 0;
  for (struct node *at = n;; at = (struct node *)(~base + at->next)) {
    hop();
    s = s * 10 + at->value;
    if (!at->next || s > 100000)
      break;
  }
  return s;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
