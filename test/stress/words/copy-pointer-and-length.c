// memcpy and memmove of structs of pointer and length, through a buffer of characters, over calls.
#include "words.h"

struct span {
  const long *at;
  size_t length;
};

static NOINLINE long sum(struct span s) {
  long total = 0;
  for (size_t i = 0; i < s.length; i++) {
    hop();
    total = total * 10 + s.at[i];
  }
  return total;
}

static NOINLINE void exchange(void *a, void *b, size_t size) {
  unsigned char kept[64];
  memcpy(kept, a, size);
  hop();
  memmove(a, b, size);
  hop();
  memcpy(b, kept, size);
}

int main(void) {
  long one[] = {1, 2, 3}, two[] = {7, 8};
  hop_pointer(one);
  hop_pointer(two);
  struct span a = {one, 3}, b = {two, 2};
  exchange(&a, &b, sizeof a);
  long first = sum(a), second = sum(b);
  printf("%ld %ld\n", first, second);
}
