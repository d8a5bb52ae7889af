// The accumulator of an interpreter is an address, a number, or what an instruction has made of either. Here all
// addresses lie in a variable of the program, so no move needs to be refused.
#include "hop.h"

typedef long value;

static value cells[64];

static NOINLINE value run(const unsigned char *code) {
  value accu = 1, *next = cells;
  for (;;) {
    switch (*code++) {
    case 'b': // a block of two words
      next[0] = 2 << 10;
      next[1] = accu;
      accu = (value)(next + 1);
      next += 2;
      break;
    case 'f':
      accu = *(value *)accu;
      break;
    case '+':
      accu += 2;
      break;
    case '*':
      accu = (accu >> 1) * 6 | 1;
      break;
    case '=':
      accu = accu == *(value *)(next - 1);
      break;
    case 'h':
      hop();
      break;
    case '.':
      return accu;
    }
  }
}

int main(void) {
  printf("%ld\n", run((const unsigned char *)"+h*hbhfh+h*hbhbhfhfh+hbh=h*h+h."));
  printf("%ld\n", run((const unsigned char *)"hbhfh++*h=hbbhffh."));
}
