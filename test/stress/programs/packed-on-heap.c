/* A packed struct on a heap, whose pointers to the stack do not lie at multiples of 8. */
// refused (not heap): heap
#include <stdio.h>
#include <stdlib.h>

struct __attribute__((packed)) record {
  char kind;
  long *first;
  short more;
  long *second;
  struct record *self;
};

__attribute__((noinline)) static long deep(struct record *r, int depth) {
  volatile long here = depth;
  return depth > 0 ? deep(r, depth - 1) + here : *r->self->first + *r->second;
}

__attribute__((noinline)) static long around(long value) {
  long a = value, b = 2 * value;
  struct record *r = malloc(sizeof *r);
  *r = (struct record){1, &a, 2, &b, r};
  a += deep(r, 2);
  b += deep(r, 3);
  long sum = *r->first + *r->second + r->kind + r->more;
  free(r);
  return sum;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 5; i++)
    sum += around(i);
  printf("%ld\n", sum);
  return 0;
}
