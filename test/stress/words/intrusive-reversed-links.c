// A tree is walked without a stack by turning links around, with a bit that says which.
#include "words.h"

struct node {
  uintptr_t left, right; // of the right one the lowest bit: it is turned around
  long value;
};

static NOINLINE long walk(struct node *root) {
  long sum = 0;
  uintptr_t up = 0, at = (uintptr_t)root;
  for (;;) {
    while (at) {
      hop();
      struct node *n = (struct node *)at;
      uintptr_t down = n->left;
      n->left = up;
      up = at;
      at = down;
    }
    for (;;) {
      if (!up)
        return sum;
      struct node *n = (struct node *)up;
      hop();
      if (n->right & 1) {
        uintptr_t mine = up;
        up = n->right & ~(uintptr_t)1;
        n->right = at;
        at = mine;
      } else {
        sum = sum * 10 + n->value;
        uintptr_t above = n->left, down = n->right;
        n->left = at;
        n->right = above | 1;
        at = down;
        break;
      }
    }
  }
}

int main(void) {
  struct node n[5] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}, {0, 0, 5}};
  n[3].left = (uintptr_t)(n + 1);
  n[3].right = (uintptr_t)(n + 4);
  n[1].left = (uintptr_t)n;
  n[1].right = (uintptr_t)(n + 2);
  long first = walk(n + 3);
  hop();
  long second = walk(n + 3);
  printf("%ld %d\n", first, first == second);
}
