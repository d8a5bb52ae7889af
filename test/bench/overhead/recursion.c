/* Nothing but calls: Fibonacci, Takeuchi and Ackermann. */
#include <stdio.h>
__attribute__((noinline)) static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__attribute__((noinline)) static int takeuchi(int x, int y, int z) {
  return y < x ? takeuchi(takeuchi(x - 1, y, z), takeuchi(y - 1, z, x), takeuchi(z - 1, x, y)) : z;
}
__attribute__((noinline)) static int ackermann(int m, int n) {
  return m == 0 ? n + 1 : ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}
int main(void) {
  printf("%d %d %d\n", fibonacci(40), takeuchi(24, 16, 8), ackermann(3, 11));
  return 0;
}
