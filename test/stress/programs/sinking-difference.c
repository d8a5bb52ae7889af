// A complete pointer difference taken before a call indexes another array after it.
#include "hop.h"

static NOINLINE long digits(const char *text) {
  char copy[32];
  long weight[32];
  char *p = copy;
  while ((*p = *text)) {
    weight[p - copy] = *text - '0';
    p++;
    text++;
  }
  long length = p - copy;
  hop();
  long sum = 0;
  char *last = p;
  for (long i = 0; i < length; i++) {
    ptrdiff_t left = last - copy - i;
    hop();
    sum = sum * 7 + weight[i] * left;
  }
  return sum + (p - copy == length);
}

int main(void) {
  printf("%ld\n", digits("31415926535897"));
  printf("%ld\n", digits("27182818"));
  printf("%ld\n", digits(""));
}
