// A loop without an end is left by longjmp; its locals are used until then by what it calls.
#include "words.h"
#include <setjmp.h>

struct node {
  struct node *next;
  long value;
};

struct server {
  struct node *list;
  jmp_buf out;
  long steps, sum;
};

static NOINLINE void step(struct server *s) {
  hop();
  s->sum = s->sum * 10 + s->list->value + s->list->next->value;
  hop();
  if (++s->steps == 3)
    longjmp(s->out, 1);
}

static NOINLINE void add(struct server *s, struct node *n) { s->list = n; }

static NOINLINE void serve(struct server *s) {
  struct node last = {0, 2}, first = {&last, 3};
  add(s, &first);
  for (;;)
    step(s);
}

int main(void) {
  struct server s = {0};
  if (setjmp(s.out) == 0)
    serve(&s);
  printf("%ld\n", s.sum);
}
