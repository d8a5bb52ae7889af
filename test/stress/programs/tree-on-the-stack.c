// A binary search tree with parent pointers, its nodes in a local array; insertion, deletion, in-order iteration.
#include "hop.h"

struct node {
  int key;
  struct node *child[2], *parent;
};

static NOINLINE void insert(struct node **root, struct node *n) {
  struct node *parent = NULL, **at = root;
  while (*at) {
    parent = *at;
    at = &parent->child[n->key > parent->key];
    hop();
  }
  *at = n;
  n->parent = parent;
  n->child[0] = n->child[1] = NULL;
}

static NOINLINE struct node *least(struct node *n) {
  while (n && n->child[0]) {
    n = n->child[0];
    hop();
  }
  return n;
}

static NOINLINE struct node *following(struct node *n) {
  if (n->child[1])
    return least(n->child[1]);
  while (n->parent && n->parent->child[1] == n)
    n = n->parent;
  hop();
  return n->parent;
}

static NOINLINE void erase(struct node **root, struct node *n) {
  struct node *with = n->child[0];
  if (n->child[0] && n->child[1]) {
    with = least(n->child[1]);
    erase(root, with);
    *with = *n;
    for (int i = 0; i < 2; i++)
      if (with->child[i])
        with->child[i]->parent = with;
  } else if (!with)
    with = n->child[1];
  hop();
  struct node **at = n->parent ? &n->parent->child[n->parent->child[1] == n] : root;
  *at = with;
  if (with)
    with->parent = n->parent;
}

int main(void) {
  struct node n[31], *root = NULL;
  for (int i = 0; i < 31; i++) {
    n[i].key = i * 12 % 31;
    insert(&root, &n[i]);
  }
  for (int i = 0; i < 31; i += 3)
    erase(&root, &n[i]);
  for (struct node *p = least(root); p; p = following(p))
    printf("%d ", p->key);
  printf("\n");
}
