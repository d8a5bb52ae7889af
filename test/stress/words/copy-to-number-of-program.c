// Another function copies an address into a variable of the program that is declared as a number.
// changes: globals
#include "words.h"

static NOINLINE void *copy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static void *(*volatile copy_it)(void *, const void *, size_t) = copy;
static long n, m;

static NOINLINE long use(long *p, UNUSED long *q) {
  copy_it(&n, &p, 8);
  m = n ^ (long)key();
  n = 0;
  hop();
  m = m ^ (long)key();
  long *back;
  copy_it(&back, &m, 8);
  return *back;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
