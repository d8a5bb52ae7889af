// Functions that run at the end of a scope get the addresses of locals that hold words.
#include "words.h"

struct entry {
  uintptr_t hidden;
  double real;
};

static long total;

static NOINLINE void close_entry(struct entry *e) {
  hop();
  long *p = (long *)~e->hidden, *q = (long *)(uintptr_t)e->real;
  *p += *q;
}

static NOINLINE long use(long *p) {
  long own = 3;
  hop_pointer(&own);
  {
    __attribute__((cleanup(close_entry))) struct entry a = {~(uintptr_t)p, (double)(uintptr_t)&own};
    __attribute__((cleanup(close_entry))) struct entry b = {~(uintptr_t)&own, (double)(uintptr_t)p};
    hop();
  }
  hop();
  return *p * 100 + own + total;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
