// setjmp again and again: in loops, at two places of one loop, over fresh buffers, deep in a recursion.
#include "hop.h"
#include <setjmp.h>
#include <string.h>

static NOINLINE void jump(jmp_buf *to, int value) { hop(), longjmp(*to, value); }

static NOINLINE int turns(int n) {
  int sum[2] = {0, 0}, *total = &sum[1];
  for (volatile int i = 0; i < n; i = i + 1) {
    struct {
      jmp_buf a, b;
    } both;
    memset(&both, 0, sizeof both);
    if (!setjmp(both.a))
      jump(&both.a, i + 1);
    if (setjmp(both.b) < 2)
      jump(&both.b, 2);
    *total += i;
  }
  return *total;
}

static NOINLINE int fall(jmp_buf *outer, int depth) {
  jmp_buf here;
  int local = depth, *p = &local;
  int got = setjmp(here);
  hop();
  if (got)
    longjmp(*outer, got + *p);
  if (depth == 0)
    jump(&here, 1);
  return fall(&here, depth - 1);
}

static NOINLINE int top(int depth) {
  jmp_buf here;
  int got = setjmp(here);
  hop();
  return got ? got : fall(&here, depth);
}

int main(void) {
  printf("%d\n", turns(200));
  for (int depth = 0; depth < 12; depth++)
    printf("%d\n", top(depth));
}
