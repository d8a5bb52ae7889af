// Nodes on the private heap hold addresses of locals of every frame of a recursion.
// flags: -fskein-heap=private
#include <stdio.h>
#include <stdlib.h>

struct node {
  int depth;
  struct node *next;
  int *count;
};

static struct node *push(struct node *list, int depth, int *count) {
  struct node *node = malloc(sizeof *node);
  node->depth = depth;
  node->count = count;
  node->next = list;
  return node;
}

static int sum(const struct node *list) {
  int result = 0;
  for (; list; list = list->next)
    result += list->depth * ++*list->count;
  return result;
}

static int descend(int depth, struct node *list) {
  int mine = depth;
  struct node *node = push(list, depth, &mine);
  int result = depth == 0 ? sum(node) : descend(depth - 1, node) + *node->count;
  result += mine;
  free(node);
  return result;
}

int main(void) {
  for (int depth = 0; depth < 12; depth++)
    printf("%d\n", descend(depth, NULL));
  return 0;
}
