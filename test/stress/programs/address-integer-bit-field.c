// 48 bits of an address and 16 of a tag in one word: no range holds the value.
// refused: number
#include "hop.h"

struct tagged {
  uint64_t address : 48, tag : 16;
};

static NOINLINE long read(const struct tagged *t, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    sum = sum * 5 + *(int *)(uintptr_t)t[i].address * t[i].tag;
  }
  return sum;
}

int main(void) {
  int a[4] = {1, 2, 3, 4};
  struct tagged t[4];
  for (int i = 0; i < 4; i++) {
    t[i].address = (uintptr_t)(a + i) & ((UINT64_C(1) << 48) - 1);
    t[i].tag = (uint64_t)i + 7;
    hop();
  }
  printf("%ld\n", read(t, 4));
}
