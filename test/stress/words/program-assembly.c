// Inline assembly gives the address of a function, and one of where it is itself, as numbers.
#include "words.h"
static NOINLINE long five(void) { return 5; }
static NOINLINE long use(void) {
  uint64_t f, here;
  __asm__("lea %c1(%%rip), %0" : "=r"(f) : "i"(five));
  __asm__("lea 0(%%rip), %0" : "=r"(here));
  uint64_t hidden = f ^ key();
  uint64_t kept[2] = {here * 7, hidden};
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    uint64_t again;
    __asm__("lea %c1(%%rip), %0" : "=r"(again) : "i"(five));
    sum += ((long (*)(void))(kept[1] ^ key()))() + (again != f) + (kept[0] / 7 - again != here - f);
  }
  return sum;
}
int main(void) { printf("%ld\n", use()); }
