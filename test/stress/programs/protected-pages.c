// The program may not touch pages of its own stack and heap for a while, and the runtime must not read them either.
// refused: pages
#include "hop.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { page = 4096 };

static char *round_up(char *at) { return (char *)(((uintptr_t)at + page - 1) & -(uintptr_t)page); }

__attribute__((noinline)) static long crowded(char *from, char *to) {
  mprotect(to, page, PROT_NONE);
  hop();
  long sum = 0;
  for (char *p = from; p < to; p++)
    sum += *p;
  mprotect(to, page, PROT_READ | PROT_WRITE);
  return sum;
}

int main(void) {
  int local = 3, *place = &local;
  hop();
  ++*place;
  char *heap = malloc(4 * page);
  memset(heap, 1, 4 * page);
  printf("%d\n", crowded(heap, round_up(heap) + page) > page);
  char stack[4 * page];
  memset(stack, 2, sizeof stack);
  printf("%d\n", crowded(stack, round_up(stack) + page) > 2 * page);
  hop();
  free(heap);
  printf("%d\n", ++*place);
}
