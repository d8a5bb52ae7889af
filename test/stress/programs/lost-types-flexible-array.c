// A struct with a flexible array of pointers, allocated on the stack with alloca; its header points into itself.
#include "hop.h"
#include <alloca.h>

struct list {
  int count;
  int **last;
  int *items[];
};

static NOINLINE void append(struct list *l, int *p) {
  hop();
  *l->last++ = p;
  l->count++;
}

static NOINLINE int use(int n) {
  int values[16];
  struct list *l = alloca(sizeof(struct list) + (size_t)n * sizeof(int *));
  l->count = 0;
  l->last = l->items;
  for (int i = 0; i < n; i++) {
    values[i] = i + n;
    append(l, &values[i]);
  }
  hop();
  int sum = 0;
  for (int i = 0; i < l->count; i++)
    sum = (sum * 5 + *l->items[i]) % 1000003;
  hop();
  return sum + (int)(l->last - l->items);
}

int main(void) {
  for (int n = 1; n < 16; n += 4)
    printf("%d\n", use(n));
}
