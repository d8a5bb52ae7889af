// Tags in the two high bytes of pointers, written and taken away by methods of a table.
#include "words.h"

struct methods {
  void (*mark)(void *, uint16_t);
  void (*clear)(void *);
};
static NOINLINE void mark(void *word, uint16_t t) { ((uint16_t *)word)[3] = t; }
static NOINLINE void clear(void *word) { ((uint16_t *)word)[3] = 0; }
static struct methods table = {mark, clear};
static struct methods *volatile methods = &table;

static NOINLINE long use(long *p) {
  long *w = p;
  methods->mark(&w, 0xabcd);
  hop();
  methods->clear(&w);
  hop();
  return *w;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
