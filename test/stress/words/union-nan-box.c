// NaN boxes, as interpreters have: a double, or an address in its low 48 bits.
#include "words.h"

typedef union {
  double number;
  uint64_t bits;
} value;

#define TAG UINT64_C(0xfffc000000000000)

static value box(long *p) { return (value){.bits = (uintptr_t)p | TAG}; }
static bool boxed(value v) { return (v.bits & TAG) == TAG; }
static long *unbox(value v) { return (long *)(uintptr_t)(v.bits & ~TAG); }

static NOINLINE double sum(value *stack, int count) {
  double total = 0;
  for (int i = 0; i < count; i++) {
    value top = stack[i];
    hop();
    total += boxed(top) ? (double)*unbox(top) : top.number;
    hop();
  }
  return total;
}

int main(void) {
  long a = 5, b = 6;
  value stack[] = {{.number = 0.5}, box(&a), {.number = 0.25}, box(&b)};
  double total = sum(stack, 4);
  printf("%g\n", total);
}
