// A local whose address is known elsewhere, in a function whose loop never ends: the program ends inside.
#include "words.h"

struct node {
  struct node *next;
  long value;
};

struct server {
  struct node *list;
  long steps, sum;
};

static NOINLINE void step(struct server *s) {
  hop();
  s->sum = s->sum * 10 + s->list->value + s->list->next->value;
  if (++s->steps == 3) {
    printf("%ld\n", s->sum);
    exit(0);
  }
}

static NOINLINE void add(struct server *s, struct node *n) { s->list = n; }

static NOINLINE void serve(struct server *s) {
  struct node last = {0, 2}, first = {&last, 3};
  add(s, &first);
  for (;;) {
    hop();
    step(s);
  }
}

int main(void) {
  struct server s = {0};
  serve(&s);
}
