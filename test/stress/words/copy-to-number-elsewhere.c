// Another function copies addresses into variables that are declared as numbers.
#include "words.h"

static NOINLINE void *copy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static void *(*volatile copy_it)(void *, const void *, size_t) = copy;

static NOINLINE long use(long *p, long *q) {
  long n, m, *back;
  double d;
  copy_it(&n, &p, 8);
  copy_it(&d, &q, 8);
  long hidden = n ^ (long)key();
  d = -d;
  hop();
  m = hidden ^ (long)key();
  copy_it(&back, &m, 8);
  long r = *back;
  d = -d;
  copy_it(&back, &d, 8);
  return r * 10 + *back;
}

int main(void) {
  long a[4] = {5, 6, 7, 8};
  hop_pointer(a);
  printf("%ld\n", use(a + 1, a + 3));
}
