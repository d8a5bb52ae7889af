// A tree whose nodes are locals of the recursion that builds it; a continuation uses the whole tree at the bottom.
#include "hop.h"

struct node {
  struct node *left, *right;
  int value;
};
struct task {
  struct node **where;
  struct task *rest;
  int value, depth;
};

static NOINLINE int sum(struct node *n, int depth) {
  if (!n)
    return depth;
  hop();
  return sum(n->left, depth + 1) * 2 + n->value + sum(n->right, depth + 1);
}

static NOINLINE int build(struct task *tasks, struct node **root) {
  if (!tasks)
    return sum(*root, 0);
  struct node here = {NULL, NULL, tasks->value};
  *tasks->where = &here;
  if (tasks->depth == 0) {
    hop();
    return build(tasks->rest, root);
  }
  struct task right = {&here.right, tasks->rest, tasks->value * 2 + 1, tasks->depth - 1};
  struct task left = {&here.left, &right, tasks->value * 2, tasks->depth - 1};
  int n = build(&left, root);
  hop();
  return n + here.value;
}

int main(void) {
  for (int depth = 0; depth < 5; depth++) {
    struct node *root = NULL;
    struct task first = {&root, NULL, 1, depth};
    printf("%d\n", build(&first, &root));
  }
}
