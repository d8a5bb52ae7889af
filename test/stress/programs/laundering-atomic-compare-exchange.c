// Compare-and-swap on pointers, strong and weak, the expected value rewritten on failure; a stack of Treiber's kind.
#include "hop.h"
#include <stdatomic.h>

struct node {
  int value;
  struct node *next;
};

static NOINLINE void push(struct node *_Atomic *top, struct node *n) {
  struct node *old = atomic_load_explicit(top, memory_order_relaxed);
  do {
    hop();
    n->next = old;
  } while (!atomic_compare_exchange_weak(top, &old, n));
}

static NOINLINE struct node *pop(struct node *_Atomic *top) {
  struct node *old = atomic_load(top);
  for (;;) {
    if (!old)
      return NULL;
    struct node *next = old->next;
    hop();
    if (atomic_compare_exchange_strong(top, &old, next))
      return old;
  }
}

int main(void) {
  struct node n[8], *m;
  struct node *_Atomic top = NULL;
  for (int i = 0; i < 8; i++) {
    n[i].value = i * 7;
    push(&top, &n[i]);
  }
  struct node *wrong = &n[2];
  int swapped = atomic_compare_exchange_strong(&top, &wrong, NULL);
  hop();
  printf("%d %d\n", swapped, wrong->value);
  while ((m = pop(&top)))
    printf("%d\n", m->value);
}
