// An atomic pointer is loaded before a call and again after it, and nothing has changed it.
#include "words.h"
#include <stdatomic.h>

struct node {
  struct node *next;
  long value;
};

static NOINLINE int changed(struct node *_Atomic *head) {
  struct node *before = atomic_load(head);
  hop();
  return atomic_load(head) != before;
}

int main(void) {
  struct node a = {0, 1}, b = {&a, 2};
  struct node *_Atomic head = &b;
  printf("%d\n", changed(&head));
  atomic_store(&head, &a);
  printf("%d %ld\n", changed(&head), atomic_load(&head)->value);
}
