// The other unit of lto.c and lto-reject.c.
#include <skein/skein.h>

int leaf(int x) { return x * 3 + 1; }

static __attribute__((noinline)) int add(int *to, const int *from) {
  skein_yield();
  *to += *from;
  return *to;
}

int reaches(int *to) {
  int own = 7;
  return add(to, &own) + own;
}
