// The smaller and the larger of two words that are addresses, chosen by their values and by those of hidden ones.
#include "words.h"

static NOINLINE long use(long *p, long *q) {
  uint64_t a = (uintptr_t)p, b = (uintptr_t)q;
  uint64_t least = a < b ? a : b, most = a > b ? a : b, hidden = ~a < ~b ? ~a : ~b;
  int64_t apart = (int64_t)(a - b), far = apart < 0 ? -apart : apart;
  hop();
  long sum = *(long *)least * 10 + *(long *)most;
  hop();
  return sum * 100 + *(long *)~hidden * 10 + far / (long)sizeof(long);
}

int main(void) {
  long a[3] = {4, 5, 6};
  hop_pointer(a);
  printf("%ld %ld\n", use(a, a + 2), use(a + 1, a));
}
