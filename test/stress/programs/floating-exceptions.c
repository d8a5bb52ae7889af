// Floating-point exceptions that a thread has raised stay raised while it moves, and no other exceptions appear.
#include "hop.h"
#include <fenv.h>

static NOINLINE int raised(void) {
  hop();
  return fetestexcept(FE_ALL_EXCEPT);
}

static NOINLINE double divide(double x, double y) {
  hop();
  return x / y;
}

int main(void) {
  volatile double zero = 0, third = 3;
  int *words[4], values[4] = {1, 2, 3, 4}, sum = 0;
  for (int i = 0; i < 4; i++)
    words[i] = &values[i];
  printf("%d\n", raised() == 0);
  volatile double wide = divide(1, zero);
  printf("%d\n", raised() == FE_DIVBYZERO);
  feclearexcept(FE_ALL_EXCEPT);
  printf("%d\n", raised() == 0);
  wide = divide(1, third);
  printf("%d\n", raised() == FE_INEXACT);
  for (int i = 0; i < 4; i++)
    sum += *words[i];
  return sum == 10 && wide > 0 ? 0 : 1;
}
