// An atomic integer holds the exclusive or of two addresses.
#include "words.h"
#include <stdatomic.h>

static NOINLINE long both(long *a, long *b) {
  atomic_uintptr_t mixed = (uintptr_t)a;
  atomic_fetch_xor(&mixed, (uintptr_t)b ^ key());
  hop();
  long *again = (long *)(atomic_load(&mixed) ^ key() ^ (uintptr_t)b);
  hop();
  return *again + (again == a);
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", both(&a, &b));
}
