// A word of a union becomes an element of an array that is declared as numbers, and the owner of the array changes it.
#include "words.h"
union word {
  long *pointer;
  uint64_t number;
};
static NOINLINE void fill(union word *u, long *p) {
  u->pointer = p;
  hop();
}
static NOINLINE void look(const uint64_t *a) { hop_pointer((void *)a); }
static NOINLINE long use(long *p) {
  union word u;
  uint64_t a[4] = {0};
  long i = number() - 5, j = number() - 6;
  fill(&u, p);
  a[i] = u.number;
  look(a);
  u.number = 0;
  hop();
  a[i] ^= key() + a[j];
  look(a);
  hop();
  a[i] ^= key() + a[j];
  hop();
  u.number = a[i];
  return *u.pointer;
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
