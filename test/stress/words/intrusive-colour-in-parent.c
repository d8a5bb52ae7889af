// A tree of which each node has its colour in the lowest bits of the link to its parent, as in Linux.
#include "words.h"

struct node {
  unsigned long parent_and_colour;
  struct node *left, *right;
  long value;
};

static struct node *parent(struct node *n) { return (struct node *)(n->parent_and_colour & ~3ul); }

static NOINLINE void link_to(struct node *n, struct node *up, struct node **at) {
  n->parent_and_colour = (unsigned long)up | 1;
  n->left = n->right = 0;
  *at = n;
}

static NOINLINE void insert(struct node **root, struct node *n) {
  struct node *up = 0, **at = root;
  while (*at) {
    hop();
    up = *at;
    at = n->value < up->value ? &up->left : &up->right;
  }
  link_to(n, up, at);
}

static NOINLINE struct node *next(struct node *n) {
  if (n->right) {
    for (n = n->right; n->left; n = n->left)
      hop();
    return n;
  }
  struct node *up;
  while ((up = parent(n)) && n == up->right) {
    hop();
    n = up;
  }
  return up;
}

int main(void) {
  struct node n[6], *root = 0;
  for (int i = 0; i < 6; i++) {
    n[i].value = (i * 5 + 2) % 6 + 1;
    insert(&root, n + i);
  }
  struct node *first = root;
  while (first->left)
    first = first->left;
  for (; first; first = next(first))
    printf("%ld%s", first->value, next(first) ? " " : "\n");
}
