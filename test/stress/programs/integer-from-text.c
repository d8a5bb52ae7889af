// Numbers with the bits of a stack address that came in as text: no pointer leads to them, and nothing may change them.
// Beside them integers that are addresses, in the same variables, arguments and results; the text tells what they were.
// refused: ambiguous
#include "hop.h"

struct text {
  char hex[32];
};

static NOINLINE uintptr_t parsed(const struct text *text) {
  unsigned long number;
  sscanf(text->hex, "%lx", &number);
  return number;
}

static NOINLINE int same(uintptr_t a, const struct text *text) {
  hop();
  uintptr_t copy = a;
  hop();
  return copy == parsed(text);
}

static NOINLINE uintptr_t either(int *p, uintptr_t number, int which) {
  hop();
  uintptr_t chosen = which ? number : (uintptr_t)p;
  hop();
  return chosen;
}

static NOINLINE int counted(uintptr_t number, const struct text *text, int n) {
  hop();
  return n ? counted(number + 8, text, n - 1) : number - 24 == parsed(text);
}

int main(void) {
  int a[2] = {1, 2};
  struct text text;
  for (int i = 0; i < 4; i++) {
    snprintf(text.hex, sizeof text.hex, "%p", (void *)(a + i % 2));
    uintptr_t number = parsed(&text);
    uintptr_t chosen = either(a + i % 2, number, i & 1);
    if (i & 1)
      printf("%d\n", same(chosen, &text));
    else
      printf("%d\n", *(int *)chosen);
    hop();
    number = parsed(&text);
    printf("%d %d\n", same(number, &text), counted(number, &text, 3));
  }
}
