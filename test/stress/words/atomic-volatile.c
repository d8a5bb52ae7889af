// A volatile atomic pointer in a struct, exchanged in a loop.
#include "words.h"
#include <stdatomic.h>

struct slot {
  long *volatile _Atomic at;
};

static NOINLINE long rotate(struct slot *slots, int count) {
  long wrong = 0;
  for (int i = 0; i < count; i++) {
    long *here = atomic_load_explicit(&slots[i].at, memory_order_relaxed);
    hop();
    long *out = atomic_exchange(&slots[(i + 1) % count].at, here);
    hop();
    wrong += atomic_load(&slots[(i + 1) % count].at) != here || *out < 0;
  }
  return wrong;
}

int main(void) {
  long values[3] = {1, 2, 3};
  hop_pointer(values);
  struct slot slots[3] = {{values}, {values + 1}, {values + 2}};
  printf("%ld\n", rotate(slots, 3));
}
