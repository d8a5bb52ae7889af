// Removal from a singly linked list with a pointer to the link, the link being a local, a field or an array element.
#include "hop.h"

struct node {
  int key;
  struct node *next;
};

static NOINLINE int remove_if_odd(struct node **link) {
  int removed = 0;
  while (*link) {
    hop();
    if ((*link)->key & 1) {
      *link = (*link)->next;
      removed++;
    } else
      link = &(*link)->next;
  }
  return removed;
}

int main(void) {
  struct node n[12], *heads[3];
  for (int i = 0; i < 12; i++)
    n[i] = (struct node){i * i * 5 / 3, i % 4 < 3 ? &n[i + 1] : NULL};
  for (int i = 0; i < 3; i++)
    heads[i] = &n[4 * i];
  for (int i = 0; i < 3; i++) {
    printf("%d:", remove_if_odd(&heads[i]));
    for (struct node *p = heads[i]; p; p = p->next)
      printf(" %d", p->key);
    printf("\n");
  }
}
