// Objects are cut from a large global array of characters, and one of them holds an address of the stack.
// changes: globals
#include "words.h"

struct object {
  long n;
  long *it;
};
static char pool[1 << 20];
static size_t used;

static NOINLINE void *allocate(size_t bytes) {
  void *block = pool + used;
  used += bytes;
  return block;
}
static NOINLINE struct object *make(long *p) {
  allocate(70000);
  struct object *o = allocate(sizeof *o);
  o->it = p, o->n = 3;
  return o;
}
static NOINLINE long use(long *p) {
  struct object *o = make(p);
  hop();
  return *o->it * 10 + o->n;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
