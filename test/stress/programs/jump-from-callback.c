// longjmp leaves a callback: the frames of qsort lie in between, and the stack does not move while they do.
// refused: foreign
#include "hop.h"
#include <setjmp.h>
#include <stdlib.h>

/* The C library's own, under a name that nobody redirects. */
#define qsort library_qsort
void library_qsort(void *, size_t, size_t, int (*)(const void *, const void *)) __asm__("qsort");

static jmp_buf out;
static int left;

static int compare(const void *a, const void *b) {
  hop();
  if (--left == 0)
    longjmp(out, 1);
  return *(const int *)a - *(const int *)b;
}

static NOINLINE int sorted(int when) {
  int words[6] = {5, 3, 6, 1, 2, 4}, *last = &words[5];
  left = when;
  int got = setjmp(out);
  hop();
  if (!got)
    qsort(words, 6, sizeof *words, compare);
  hop();
  return got * 100 + (got ? 0 : *last);
}

int main(void) {
  for (int when = 1; when < 20; when += 3)
    printf("%d\n", sorted(when));
}
