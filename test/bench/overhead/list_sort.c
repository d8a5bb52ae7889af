/* Merge sort of a linked list by recursion, results through out-parameters. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct element {
  struct element *next;
  unsigned key;
};
__attribute__((noinline)) static struct element *split(struct element *list) {
  struct element *slow = list, *fast = list->next;
  while (fast && fast->next) {
    slow = slow->next;
    fast = fast->next->next;
  }
  struct element *second = slow->next;
  slow->next = 0;
  return second;
}
__attribute__((noinline)) static void merge(struct element **to, struct element *a, struct element *b) {
  while (a && b) {
    struct element **less = a->key <= b->key ? &a : &b;
    *to = *less;
    to = &(*to)->next;
    *less = (*less)->next;
  }
  *to = a ? a : b;
}
static void sort(struct element **list) {
  if (!*list || !(*list)->next)
    return;
  struct element *a = *list, *b = split(a);
  sort(&a);
  sort(&b);
  merge(list, a, b);
}
enum { COUNT = 20000 };
static struct element elements[COUNT];
int main(void) {
  unsigned seed = 1, check = 0;
  for (int round = 0; round < ROUNDS(350); round++) {
    struct element *list = 0;
    for (int i = 0; i < COUNT; i++) {
      seed = seed * 1664525 + 1013904223;
      elements[i].key = seed >> 4;
      elements[i].next = list;
      list = &elements[i];
    }
    sort(&list);
    unsigned position = 0;
    for (struct element *e = list; e; e = e->next)
      check += e->key * ++position;
  }
  printf("%u\n", check);
  return 0;
}
