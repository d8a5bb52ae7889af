// A block of the heap holds an address of the stack, in a hidden form only.
#include "words.h"

static NOINLINE uintptr_t *make(long *p, int how) {
  uintptr_t *r = malloc(2 * sizeof *r);
  switch (how) {
  case 0:
    r[0] = (uintptr_t)p ^ key();
    break;
  case 1:
    r[0] = (uintptr_t)p | UINT64_C(0xabcd) << 48;
    break;
  case 2:
    r[0] = (uintptr_t)p + ((uintptr_t)r << 17);
    break;
  default:
    r[0] = __builtin_bswap64((uintptr_t)p);
    break;
  }
  return r;
}

static NOINLINE long *get(uintptr_t *r, int how) {
  switch (how) {
  case 0:
    return (long *)(r[0] ^ key());
  case 1:
    return (long *)(r[0] << 16 >> 16);
  case 2:
    return (long *)(r[0] - ((uintptr_t)r << 17));
  default:
    return (long *)__builtin_bswap64(r[0]);
  }
}

static NOINLINE long use(long *p, int how) {
  uintptr_t *r = make(p, how);
  hop();
  long sum = *get(r, how);
  hop();
  sum = sum * 10 + (get(r, how) == p);
  free(r);
  return sum;
}

int main(int count, char **arguments) {
  (void)arguments;
  long a = 5, sum = 0;
  for (int how = 0; how < 4; how++)
    sum = sum * 100 + use(&a, how * count);
  printf("%ld\n", sum);
}
