// alloca(sizeof(struct node)): memory without a type, filled with pointers, linked from another function.
#include "hop.h"
#include <alloca.h>

struct node {
  int value;
  struct node *next;
  int *where;
};

static NOINLINE int sum(struct node *list) {
  int s = 0;
  for (; list; list = list->next) {
    s = s * 2 + list->value;
    hop();
    s += *list->where;
  }
  return s;
}

static NOINLINE int build(int n) {
  struct node *list = NULL;
  int places[20];
  for (int i = 0; i < n; i++) {
    struct node *fresh = alloca(sizeof(struct node));
    places[i] = i * i;
    hop();
    *fresh = (struct node){i, list, &places[i]};
    list = fresh;
    hop();
  }
  return sum(list);
}

int main(void) {
  for (int n = 0; n < 20; n += 3)
    printf("%d\n", build(n));
}
