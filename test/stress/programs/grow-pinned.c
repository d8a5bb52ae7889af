// A thread that may not move needs room, and gets it.
// refused: library
// options: stress_every=11
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;

void step(void) { sink++; }

__attribute__((noinline)) long deep(long *above, int depth, long a, long b, long c, long d, long *memory) {
  long here = *above + 1;
  char pad[500];
  memset(pad, 1, sizeof pad);
  sink = pad[depth % 500];
  step();
  *memory += a + b + c + d;
  return depth == 0 ? here : deep(&here, depth - 1, a, b, c, d, memory) + here - *above - 1;
}

__attribute__((noinline)) double variadic(int depth, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, depth);
  double total = 0;
  for (int i = 0; i < 12; i++)
    total += __builtin_va_arg(list, double);
  __builtin_va_end(list);
  char pad[900];
  memset(pad, 1, sizeof pad);
  sink = pad[depth % 900];
  step();
  return depth == 0 ? total
                    : total + variadic(depth - 1, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5);
}

int main(void) {
  long start = 5, memory = 0;
  char variable[] = "GROW=pinned"; /* from here on the C library has an address of this stack */
  putenv(variable);
  printf("%ld %ld\n", deep(&start, 300, 1, 2, 3, 4, &memory), memory);
  printf("%g\n", variadic(200, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5));
  puts(getenv("GROW"));
  unsetenv("GROW");
  return 0;
}
