// Pointers are copied into an array of integers, kept there over a call, and copied back.
#include "words.h"

static NOINLINE long keep(long **from, int count) {
  uint64_t kept[4];
  memcpy(kept, from, count * sizeof *kept);
  hop();
  long *back[4];
  memcpy(back, kept, count * sizeof *kept);
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum = sum * 10 + *back[i];
  return sum;
}

int main(void) {
  long a = 1, b = 2, c = 3;
  long *all[] = {&a, &b, &c};
  hop_pointer(all);
  printf("%ld\n", keep(all, 3));
}
