// What an accumulator holds is made of an address that is computed on some of the ways to it only, or of a number.
#include "words.h"

static NOINLINE long run(const char *code, long *next) {
  uint64_t accu = (uint64_t)number();
  long sum = 0;
  for (;;) {
    switch (*code++) {
    case 'a':
      accu = (uintptr_t)(next + 1) * 2 + 1;
      next++;
      break;
    case 'x':
      accu = (uintptr_t)(next + 2) ^ key();
      break;
    case '+':
      accu += 2;
      break;
    case 'n':
      accu = (uint64_t)sum << 2 | 1;
      break;
    case 'f':
      sum += *(long *)(accu >> 1);
      break;
    case 'g':
      sum += *(long *)(accu ^ key());
      break;
    case 'h':
      hop();
      break;
    case '.':
      return sum + (long)(accu % 2);
    }
  }
}

int main(void) {
  long cells[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  hop_pointer(cells);
  printf("%ld\n", run("hahfhxhghn+h+hah++++++++hfhxhgh.", cells));
}
