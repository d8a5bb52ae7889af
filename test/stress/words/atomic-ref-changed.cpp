// atomic_ref of a word of a struct that is an address, changed by exclusive or, and by a sum, and back.
#include "words.h"
#include <atomic>
struct Node {
  uintptr_t link;
  long n;
};
static NOINLINE void hide(Node *n) { std::atomic_ref<uintptr_t>(n->link).fetch_xor(key()); }
static NOINLINE void add(Node *n, uintptr_t k) { std::atomic_ref<uintptr_t>(n->link).fetch_add(k); }
static NOINLINE long use(long *p) {
  Node n{(uintptr_t)p, 1};
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hide(&n);
    hop();
    hide(&n);
    sum = sum * 10 + *(long *)n.link;
    add(&n, key());
    hop();
    add(&n, -key());
    sum = sum * 10 + *(long *)n.link;
  }
  return sum;
}
int main() {
  long a = 5;
  hop_pointer(&a);
  printf("%ld\n", use(&a));
}
