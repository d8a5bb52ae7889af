// Circular lists of heads inside of structs; the heads are on the stack and refer to themselves.
#include "words.h"

struct head {
  struct head *next, *previous;
};
struct item {
  long value;
  struct head link;
};

#define item_of(h) ((struct item *)((char *)(h) - offsetof(struct item, link)))

static void add(struct head *list, struct head *h) {
  h->next = list;
  h->previous = list->previous;
  list->previous->next = h;
  list->previous = h;
}

static NOINLINE long drain(struct head *list) {
  long sum = 0;
  while (list->next != list) {
    struct head *h = list->next;
    hop();
    h->next->previous = h->previous;
    h->previous->next = h->next;
    sum = sum * 10 + item_of(h)->value;
  }
  return sum;
}

int main(void) {
  struct head list = {&list, &list};
  struct item items[3] = {{1}, {2}, {3}};
  for (int i = 0; i < 3; i++) {
    add(&list, &items[i].link);
    hop();
  }
  printf("%ld\n", drain(&list));
}
