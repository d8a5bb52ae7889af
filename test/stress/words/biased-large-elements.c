// Elements of 3 KB, indices from one thousand on: the pointer to element zero is 3 MB in front of the array.
#include "words.h"

struct element {
  long head;
  char rest[3000];
};

static NOINLINE long sum(struct element *a, long first, long last) {
  long total = 0;
  for (long i = last; i >= first; i--) {
    hop();
    total = total * 10 + a[i - first].head;
  }
  return total;
}

int main(void) {
  struct element a[3] = {{1}, {2}, {3}};
  long first = hop_long(1000000);
  printf("%ld\n", sum(a, first, first + 2));
}
