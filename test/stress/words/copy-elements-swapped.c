// Bytes of a pointer and of a number change places.
#include "words.h"
static NOINLINE void swap(void *a, void *b, size_t n) {
  unsigned char *x = a, *y = b;
  while (n--) {
    unsigned char t = *x;
    *x++ = *y;
    *y++ = t;
  }
}
static void (*volatile swap_it)(void *, void *, size_t) = swap;
static NOINLINE long use(long *p) {
  uint64_t words[4] = {0};
  long *pointers[4] = {p, p, p, p};
  swap_it(&words[1], &pointers[1], 8);
  uint64_t hidden = words[1] * 5;
  words[1] = 0;
  pointers[1] = 0;
  hop();
  words[1] = hidden / 5;
  hop();
  swap_it(&words[1], &pointers[1], 8);
  return *pointers[1];
}
int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
