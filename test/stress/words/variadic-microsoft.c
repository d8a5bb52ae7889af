// Variadic arguments by Microsoft's convention, whose places are in the caller's frame.
#include "words.h"
__attribute__((ms_abi)) static NOINLINE long sum(int n, ...) {
  __builtin_ms_va_list list;
  __builtin_ms_va_start(list, n);
  long s = 0;
  for (int i = 0; i < n; i++) {
    hop();
    s += *__builtin_va_arg(list, long *);
  }
  __builtin_ms_va_end(list);
  return s;
}
int main(void) {
  long a = 1, b = 2, c = 3, d = 4, e = 5;
  printf("%ld\n", sum(5, &a, &b, &c, &d, &e));
}
