// An object with a pointer is placed into a large array of numbers by another function.
#include "words.h"

struct object {
  long *it;
  long n;
};
static NOINLINE void *place(void *room, long *p) {
  struct object *o = (struct object *)room + number();
  o->it = p, o->n = 3;
  return o;
}
static NOINLINE long use(long *p) {
  long room[2000];
  struct object *o = place(room, p);
  hop();
  return *o->it * 10 + o->n;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
