// A union's integer holds the bits of a stack address while it is an integer: it must stay as it is, or the
// thread must.
// refused (O0): number
// refused (not O0): ambiguous
#include "hop.h"

union value {
  uintptr_t number;
  int *pointer;
};

static NOINLINE int both(int *p) {
  union value number, pointer;
  uintptr_t inverse = ~(uintptr_t)p;
  number.number = (uintptr_t)p;
  pointer.pointer = p;
  union value *volatile use = hop_long(1) ? &number : &pointer;
  hop();
  int same = ~use->number == inverse;
  hop();
  return same * 10 + *pointer.pointer;
}

int main(void) {
  int a[3] = {1, 2, 3};
  for (int i = 0; i < 3; i++)
    printf("%d\n", both(a + i));
}
