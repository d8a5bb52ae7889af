// Callbacks from foreign code, some of which recurse deeply: they run on the worker's deep stack and cannot move there.
// refused: foreign
// options: stress_every=11
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C library's own, under a name that nobody redirects. */
#define qsort library_qsort
void library_qsort(void *, size_t, size_t, int (*)(const void *, const void *)) __asm__("qsort");

static volatile int sink;

void step(void) { sink++; }

__attribute__((noinline)) long deep(long *above, int depth) {
  long here = *above + 1;
  char pad[500];
  memset(pad, 1, sizeof pad);
  sink = pad[depth % 500];
  step();
  return depth == 0 ? here : deep(&here, depth - 1) + here - *above - 1;
}

static long visited;

static int order(const void *a, const void *b) {
  long start = 0;
  visited += deep(&start, 200);
  return *(const int *)a - *(const int *)b;
}

static int again(const void *a, const void *b) {
  int inner[5] = {5, 3, 4, 1, 2};
  qsort(inner, 5, sizeof *inner, order);
  return *(const int *)a - *(const int *)b + inner[0] - 1;
}

int main(void) {
  int values[20];
  for (int i = 0; i < 20; i++)
    values[i] = i * 7 % 20;
  qsort(values, 20, sizeof *values, order);
  for (int i = 0; i < 20; i++)
    printf("%d ", values[i]);
  qsort(values, 3, sizeof *values, again);
  long start = 0;
  printf("\n%d %ld %ld\n", visited > 0, deep(&start, 1000), start);
  char text[64];
  snprintf(text, sizeof text, "%d %g %s %ld %c %x %u %o %g", 1, 2.5, "three", 4L, '5', 6u, 7u, 8u, 9.5);
  puts(text);
  int (*by_pointer)(const char *) = puts;
  return by_pointer("by pointer") < 0;
}
