// A global struct of many unions and numbers, one of which holds an address of the stack.
// changes: globals
#include "words.h"

struct cell {
  int kind;
  union {
    long *pointer;
    double real;
    char text[8];
  } as;
};
static struct cell cells[8000];

static NOINLINE void put(long *p) {
  struct cell *c = &cells[7000 + number()];
  c->kind = 3;
  c->as.pointer = p;
}

static NOINLINE long use(long *p) {
  put(p);
  hop();
  struct cell *c = &cells[7000 + number()];
  return *c->as.pointer * 10 + c->kind;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
