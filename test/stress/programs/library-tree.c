// tsearch, tfind, twalk and tdelete: comparisons and actions move the thread while the tree has keys on its stack.
#define _GNU_SOURCE
#include "hop.h"
#include <search.h>
#include <stdlib.h>

static int comparisons;

static int by_value(const void *a, const void *b) {
  hop();
  ++comparisons;
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void show(const void *node, VISIT visit, int depth) {
  hop();
  if (visit == preorder || visit == leaf)
    printf("%d@%d ", **(int *const *)node, depth);
}

static void sum_up(const void *node, VISIT visit, void *context) {
  int *const *sum = context;
  hop();
  if (visit == postorder || visit == leaf)
    **sum = **sum * 3 % 1009 + **(int *const *)node;
}

static void dropped(void *key) {
  hop();
  printf("-%d ", *(int *)key);
}

int main(void) {
  int keys[40], sum = 0, *to = &sum;
  void *root = NULL;
  for (int i = 0; i < 40; i++) {
    keys[i] = i * 17 % 41;
    int **node = tsearch(&keys[i], &root, by_value);
    hop();
    if (*node != &keys[i])
      printf("there already: %d\n", i);
  }
  twalk(root, show);
  printf("\n%d comparisons\n", comparisons);
  for (int i = 0; i < 40; i += 3) {
    int wanted = i;
    int **node = tfind(&wanted, &root, by_value);
    hop();
    printf("%td ", node ? *node - keys : -1);
    if (i % 2 == 0)
      printf("%d ", tdelete(&wanted, &root, by_value) != NULL);
  }
  printf("\n");
  twalk(root, show);
  twalk_r(root, sum_up, &to);
  printf("\n%d\n", sum);
  tdestroy(root, dropped);
  printf("\n");
}
