// Pointers in packed structs, at odd offsets, alone and in arrays.
#include "hop.h"

struct __attribute__((packed)) packed {
  char kind;
  int *p;
  short n;
  struct packed *next;
};

static NOINLINE long walk(struct packed *list) {
  long sum = 0;
  for (struct packed *l = list; l; l = l->next) {
    hop();
    sum = sum * 7 + *l->p + l->kind + l->n;
    l->n++;
  }
  return sum;
}

int main(void) {
  int a[5] = {1, 2, 3, 4, 5};
  struct packed l[5], copy;
  for (int i = 0; i < 5; i++)
    l[i] = (struct packed){(char)i, a + i, (short)(i * 9), i < 4 ? &l[i + 1] : NULL};
  printf("%ld\n", walk(l));
  copy = l[2];
  hop();
  l[2] = l[0];
  l[2].next = &copy;
  hop();
  printf("%ld\n", walk(l + 1));
}
