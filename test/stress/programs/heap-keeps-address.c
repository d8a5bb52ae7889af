// A malloced block holds the address of a local while functions below use it.
// refused (not heap): heap
#include "hop.h"
#include <stdlib.h>

struct task {
  int *result;
  struct task *next;
};

static NOINLINE void run(struct task *t) {
  for (; t; t = t->next) {
    hop();
    *t->result = *t->result * 2 + 1;
  }
}

static NOINLINE int tasks(int n) {
  int results[8];
  struct task *list = NULL;
  for (int i = 0; i < n; i++) {
    struct task *t = malloc(sizeof *t);
    results[i] = i;
    t->result = &results[i];
    t->next = list;
    list = t;
    hop();
  }
  run(list);
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum = sum * 3 + results[i];
  while (list) {
    struct task *next = list->next;
    hop();
    free(list);
    list = next;
  }
  return sum;
}

int main(void) {
  for (int n = 0; n < 8; n += 2)
    printf("%d\n", tasks(n));
}
