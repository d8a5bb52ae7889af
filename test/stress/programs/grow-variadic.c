// Pointers passed through `...`, in registers and in memory, to functions that outgrow their stack.
// options: stress_every=97
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static volatile int sink;

void step(void) { sink++; }

__attribute__((noinline)) static long sum(int count, va_list list) {
  long total = 0;
  for (int i = 0; i < count; i++)
    total += *va_arg(list, int *);
  return total;
}

__attribute__((noinline)) long deeper(int depth, int *named, ...) {
  va_list list, copy;
  va_start(list, named);
  va_copy(copy, list);
  char pad[300];
  memset(pad, 1, sizeof pad);
  sink = pad[depth % 300];
  long total = sum(10, list) + *named;
  step();
  if (depth != 0) {
    int here = depth, one = 1;
    total += deeper(depth - 1, &here, named, &here, &one, &one, &one, &one, &one, &one, &one, &here);
    total -= here + one;
  }
  total += sum(10, copy);
  va_end(copy);
  va_end(list);
  return total;
}

__attribute__((noinline)) double mixed(int depth, const char *kinds, ...) {
  va_list list;
  va_start(list, kinds);
  double total = 0;
  char pad[200];
  memset(pad, 2, sizeof pad);
  sink = pad[depth % 200];
  for (const char *kind = kinds; *kind; kind++)
    total += *kind == 'd' ? va_arg(list, double) : *kind == 'i' ? va_arg(list, int) : *va_arg(list, long *);
  va_end(list);
  step();
  long local = depth;
  return depth == 0 ? total
                    : total + mixed(depth - 1, kinds, depth * 0.5, &local, depth, 1.5, 2.5, 3.5, &local, 1, 2, 3, 4.5,
                                    5.5, 6.5, 7.5, 8.5, &local);
}

int main(void) {
  int one = 1;
  printf("%ld\n", deeper(200, &one, &one, &one, &one, &one, &one, &one, &one, &one, &one, &one));
  long local = 7;
  printf("%g\n", mixed(300, "dpidddpiiidddddp", 1.0, &local, 1, 1.5, 2.5, 3.5, &local, 1, 2, 3, 4.5, 5.5, 6.5, 7.5, 8.5,
                       &local));
  return 0;
}
