// The order of an address in the stack and one of the program.
#include "words.h"
static long g = 3;
static NOINLINE int above(long *p) { return (uintptr_t)p > (uintptr_t)&g; }
int main(void) {
  long a = 7;
  uintptr_t top = (uintptr_t)&a > (uintptr_t)&g ? (uintptr_t)&a : (uintptr_t)&g;
  hop();
  printf("%d\n", top == (uintptr_t)&a || top == (uintptr_t)&g);
  printf("%d\n", above(&a) == ((uintptr_t)&a > (uintptr_t)&g));
}
