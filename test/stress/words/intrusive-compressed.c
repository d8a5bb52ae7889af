// Links of 32 bits: the distance from the arena's start, which lies on the stack; and from a global.
#include "words.h"

struct node {
  uint32_t next;
  int value;
};

struct arena {
  uint32_t used;
  _Alignas(8) unsigned char room[256];
};

static struct node *at(struct arena *a, uint32_t link) { return link ? (struct node *)(a->room + link) : 0; }

static NOINLINE uint32_t push(struct arena *a, uint32_t list, int value) {
  uint32_t link = a->used;
  a->used += sizeof(struct node);
  hop();
  *at(a, link) = (struct node){list, value};
  return link;
}

int main(void) {
  struct arena a = {.used = 8};
  uint32_t list = 0;
  for (int i = 1; i < 5; i++)
    list = push(&a, list, i);
  long sum = 0;
  for (struct node *n = at(&a, list); n; n = at(&a, n->next)) {
    hop();
    sum = sum * 10 + n->value;
  }
  printf("%ld\n", sum);
}
