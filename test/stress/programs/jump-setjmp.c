// setjmp and longjmp through frames that moved.
#include "hop.h"
#include <setjmp.h>

static NOINLINE void dig(jmp_buf *out, int *count, int depth) {
  ++*count;
  hop();
  if (depth == 0)
    longjmp(*out, *count);
  dig(out, count, depth - 1);
}

static NOINLINE int attempt(int depth) {
  jmp_buf out;
  volatile int tries = 0;
  int count = 0;
  int n = setjmp(out);
  hop();
  if (n == 0 || tries < 3) {
    tries = tries + 1;
    dig(&out, &count, depth);
  }
  hop();
  return n * 10 + tries;
}

int main(void) {
  for (int depth = 0; depth < 5; depth++)
    printf("%d\n", attempt(depth));
}
