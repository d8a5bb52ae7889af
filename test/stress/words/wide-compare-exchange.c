// flags: -mcx16
// An address and a counter exchanged together, hidden.
#include "words.h"
static NOINLINE long use(unsigned __int128 *w, long *p) {
  unsigned __int128 old = *w, new = (unsigned __int128)((uintptr_t)p ^ 0xffff) << 64 | 1;
  old = __sync_val_compare_and_swap(w, old, new);
  hop();
  unsigned __int128 now = __sync_val_compare_and_swap(w, 0, 0);
  return *(long *)((uintptr_t)(now >> 64) ^ 0xffff);
}
int main(void) {
  long a = 5;
  unsigned __int128 w = 0;
  printf("%ld\n", use(&w, &a));
}
