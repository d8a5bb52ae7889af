// A struct of two floats, which goes by value in one register, holds the halves of an address; one of ints, too.
#include "words.h"

struct floats {
  float low, high;
};
struct ints {
  int low, high;
};

static NOINLINE long load_floats(struct floats f) {
  hop();
  long *p;
  memcpy(&p, &f, sizeof p);
  return *p;
}
static NOINLINE long load_ints(struct ints n, long ignored) {
  hop();
  uintptr_t v = (uint32_t)n.low | (uintptr_t)(uint32_t)n.high << 32;
  return *(long *)v + ignored;
}
static long (*volatile floats_in)(struct floats) = load_floats;
static long (*volatile ints_in)(struct ints, long) = load_ints;

static NOINLINE long use(long *p) {
  long own = *p + 1;
  hop_pointer(&own);
  long *at = &own;
  struct floats f;
  struct ints n;
  memcpy(&f, &p, sizeof f);
  memcpy(&n, &at, sizeof n);
  hop();
  return floats_in(f) * 10 + ints_in(n, 0);
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
