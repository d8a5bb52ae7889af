// A union of a pointer and a double, kept as a double in a variable and an array.
#include "words.h"

union word {
  long *pointer;
  double number;
};

static NOINLINE long keep(long *a, long *b) {
  double kept = (union word){a}.number, more[2] = {1.5, (union word){b}.number};
  hop();
  long sum = *(union word){.number = kept}.pointer;
  hop();
  return sum * 10 + *(union word){.number = more[1]}.pointer;
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", keep(&a, &b));
}
