// Blocks from alloca before and after a setjmp: a jump frees the later ones, whose memory is written over at once, and
// keeps the earlier ones; every turn makes more and jumps again.
#include "hop.h"
#include <alloca.h>
#include <setjmp.h>

struct node {
  struct node *next;
  int *value;
};

static jmp_buf target;

static NOINLINE long sum(struct node *list) {
  long total = 0;
  for (; list; list = list->next) {
    hop();
    total = total * 3 + *list->value;
  }
  return total;
}

static NOINLINE void leap(int n) {
  char text[200];
  snprintf(text, sizeof text, "%d", n);
  hop();
  longjmp(target, n);
}

static NOINLINE long run(int n) {
  struct node *volatile list = NULL;
  volatile long total = 0;
  volatile int round = 0;
  int value = n;
  struct node *volatile first = alloca(sizeof *first);
  *first = (struct node){NULL, &value};
  int came = setjmp(target);
  hop();
  list = first;
  if (round < 5) {
    round++;
    for (int i = 0; i < round; i++) {
      struct node *more = alloca(sizeof *more + (size_t)i * 8);
      *more = (struct node){list, &value};
      list = more;
      hop();
    }
    total += sum(list) + came;
    leap(round);
  }
  hop();
  return total + sum(list);
}

int main(void) {
  for (int n = 1; n < 4; n++)
    printf("%ld\n", run(n));
}
