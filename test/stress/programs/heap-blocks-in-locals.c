// Pointers to malloced blocks in locals: the blocks stay where they are when a stack moves within the process.
#include "hop.h"
#include <stdlib.h>
#include <string.h>

struct node {
  int key;
  struct node *left, *right;
};

static NOINLINE struct node *insert(struct node *t, int key) {
  hop();
  if (!t) {
    struct node *n = calloc(1, sizeof *n);
    n->key = key;
    return n;
  }
  if (key < t->key)
    t->left = insert(t->left, key);
  else
    t->right = insert(t->right, key);
  return t;
}

static NOINLINE int release(struct node *t, int depth) {
  if (!t)
    return depth;
  int l = release(t->left, depth + 1), r = release(t->right, depth + 1), key = t->key;
  hop();
  free(t);
  return (l * 3 + r * 5 + key) % 100003;
}

int main(void) {
  struct node *root = NULL;
  char *text = NULL;
  size_t length = 0;
  for (int i = 0; i < 30; i++) {
    root = insert(root, i * 13 % 30);
    char *longer = realloc(text, length + 2);
    hop();
    text = longer;
    text[length++] = (char)('a' + i % 26);
    text[length] = 0;
  }
  printf("%d %s\n", release(root, 0), text);
  free(text);
}
