// An allocator in an aligned local char array; the blocks hold structs that point to one another.
// refused: ambiguous
#include "hop.h"

struct arena {
  char *at, *end;
};
struct tree {
  int key;
  struct tree *left, *right;
};

static NOINLINE void *take(struct arena *a, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if ((size_t)(a->end - a->at) < bytes)
    return NULL;
  void *p = a->at;
  hop();
  a->at += bytes;
  return p;
}

static NOINLINE void insert(struct arena *a, struct tree **at, int key) {
  while (*at)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  struct tree *t = take(a, sizeof *t);
  *t = (struct tree){key, NULL, NULL};
  *at = t;
}

static NOINLINE int check(struct tree *t, int depth) {
  if (!t)
    return depth;
  hop();
  int l = check(t->left, depth + 1);
  int r = check(t->right, depth + 1);
  return l * 3 + r * 7 + t->key;
}

int main(void) {
  _Alignas(16) char memory[4096];
  struct arena a = {memory, memory + sizeof memory};
  struct tree *root = NULL;
  for (int i = 0; i < 40; i++)
    insert(&a, &root, i * 17 % 41);
  printf("%d %ld\n", check(root, 0), (long)(a.at - memory));
}
