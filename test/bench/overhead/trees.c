/* Binary trees built and summed by recursion, nodes from an arena on the stack of the caller. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct node {
  struct node *left, *right;
  long value;
};
struct arena {
  struct node *next, *end;
};
__attribute__((noinline)) static struct node *take(struct arena *arena, long value) {
  struct node *n = arena->next++;
  n->left = n->right = 0;
  n->value = value;
  return n;
}
static struct node *build(struct arena *arena, int depth, long value) {
  struct node *n = take(arena, value);
  if (depth > 0) {
    n->left = build(arena, depth - 1, 2 * value);
    n->right = build(arena, depth - 1, 2 * value + 1);
  }
  return n;
}
static long sum(const struct node *n) { return n ? n->value + sum(n->left) - sum(n->right) : 0; }
static void mirror(struct node *n) {
  if (!n)
    return;
  struct node *left = n->left;
  n->left = n->right;
  n->right = left;
  mirror(n->left);
  mirror(n->right);
}
int main(void) {
  struct node nodes[1 << 15];
  long total = 0;
  for (int round = 0; round < ROUNDS(3000); round++) {
    struct arena arena = {nodes, nodes + (1 << 15)};
    struct node *root = build(&arena, 13, round);
    total += sum(root);
    mirror(root);
    total ^= sum(root);
  }
  printf("%ld\n", total);
  return 0;
}
