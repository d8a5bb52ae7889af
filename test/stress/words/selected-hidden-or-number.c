// An integer is a hidden address on some paths, a number on others, and comes round a loop.
#include "words.h"

static NOINLINE long use(long *p, int times) {
  uint64_t v = (uint64_t)number();
  long sum = 0;
  for (int i = 0; i < times; i++) {
    hop();
    switch (i % 3) {
    case 0:
      sum += (long)v;
      v = (uintptr_t)p ^ key();
      break;
    case 1:
      sum += *(long *)(v ^ key());
      v = ~(uintptr_t)(p + 1);
      break;
    case 2:
      sum += *(long *)~v;
      v = (uint64_t)i;
      break;
    }
  }
  return sum;
}

int main(void) {
  long a[2] = {100, 1000};
  hop_pointer(a);
  printf("%ld\n", use(a, 7));
}
