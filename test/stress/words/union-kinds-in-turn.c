// The same word is an address, a number and a double in turn, by a tag.
#include "words.h"

struct value {
  enum { NUMBER, REAL, PLACE, HIDDEN } kind;
  union {
    long number;
    double real;
    long *place;
    uintptr_t hidden;
  };
};

static NOINLINE double step(struct value *v, long *p) {
  double result = 0;
  hop();
  switch (v->kind) {
  case NUMBER:
    result = (double)v->number;
    *v = (struct value){REAL, {.real = 0.5}};
    break;
  case REAL:
    result = v->real;
    *v = (struct value){PLACE, {.place = p}};
    break;
  case PLACE:
    result = (double)*v->place;
    *v = (struct value){HIDDEN, {.hidden = (uintptr_t)p ^ key()}};
    break;
  case HIDDEN:
    result = (double)*(long *)(v->hidden ^ key());
    *v = (struct value){NUMBER, {.number = 3}};
    break;
  }
  hop();
  return result;
}

int main(void) {
  long a = 100;
  struct value v = {NUMBER, {.number = 3}};
  double sum = 0;
  for (int i = 0; i < 9; i++)
    sum = sum * 2 + step(&v, &a);
  printf("%g\n", sum);
}
