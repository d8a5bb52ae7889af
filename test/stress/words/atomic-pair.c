// A pointer and a counter are exchanged together, as 128 bits.
// flags: -mcx16
#include "words.h"
typedef unsigned __int128 pair;

static pair make(long *p, uint64_t count) { return (pair)count << 64 | (uintptr_t)p; }

static NOINLINE long change(pair *cell, long *to) {
  pair old = *cell;
  hop();
  pair now = make(to, (uint64_t)(old >> 64) + 1);
  hop();
  pair seen = __sync_val_compare_and_swap(cell, old, now);
  hop();
  return (seen == old) * 100 + *(long *)(uintptr_t)seen * 10 + *(long *)(uintptr_t)*cell;
}

int main(void) {
  long a = 1, b = 2;
  _Alignas(16) pair cell = make(&a, 1);
  printf("%ld\n", change(&cell, &b));
  printf("%ld\n", change(&cell, &a));
}
