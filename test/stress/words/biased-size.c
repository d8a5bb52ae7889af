// A loop runs upwards over indices of type size_t and reads downwards, from a few hundred on and from very large ones,
// in an array that a struct leads to.
#include "words.h"

struct box {
  int *at;
};

static NOINLINE long sum(const struct box *b, size_t low, size_t high) {
  long total = 0;
  const int *a = b->at;
  hop();
  for (size_t i = low; i < high; i++) {
    hop();
    total = total * 10 + a[high - 1 - i];
  }
  return total;
}

int main(void) {
  int a[4] = {1, 2, 3, 4};
  hop_pointer(a);
  struct box b = {a};
  long total = 0;
  for (int bits = 6; bits < 62; bits += 5) {
    size_t from = (size_t)hop_long(1L << bits);
    total += sum(&b, from, from + 4);
  }
  printf("%ld\n", total);
}
