// __builtin_setjmp and __builtin_longjmp, whose buffers are five words.
#include "hop.h"
#include <stdlib.h>

static void *global[5];

static NOINLINE void raise_to(void **buffer) {
  hop();
  __builtin_longjmp(buffer, 1);
}

static NOINLINE int local(int n) {
  void *buffer[5];
  int word = n, *p = &word;
  hop();
  if (__builtin_setjmp(buffer)) {
    hop();
    return *p + 100;
  }
  hop();
  if (n % 2)
    raise_to(buffer);
  return *p;
}

static NOINLINE int through_global(int n) {
  volatile int tries = 0;
  char text[4] = "abc", *p = text + n % 3;
  if (__builtin_setjmp(global)) {
    hop();
    tries = tries + 1;
  }
  if (tries < n)
    raise_to(global);
  return tries * 1000 + *p;
}

static NOINLINE int in_heap(int n) {
  void **buffer = malloc(5 * sizeof *buffer);
  int r;
  if (__builtin_setjmp(buffer)) {
    r = n + 50;
  } else {
    raise_to(buffer);
    r = 0;
  }
  hop();
  free(buffer);
  return r;
}

int main(void) {
  for (int n = 0; n < 5; n++)
    printf("%d %d %d\n", local(n), through_global(n), in_heap(n));
}
