// Offset pointers: each word is the distance from itself to what it leads to.
#include "words.h"
template <class T> struct Offset {
  intptr_t off = 1;
  Offset() = default;
  Offset(T *p) { *this = p; }
  Offset(const Offset &o) { *this = o.get(); }
  Offset &operator=(const Offset &o) { return *this = o.get(); }
  Offset &operator=(T *p) {
    off = p ? (intptr_t)p - (intptr_t)this : 1;
    return *this;
  }
  T *get() const { return off == 1 ? nullptr : (T *)((intptr_t)this + off); }
};
struct Node {
  Offset<Node> next;
  long value;
};
static Node global{{}, 100};
static NOINLINE long sum(Node *n) {
  long s = 0;
  for (; n; n = n->next.get()) {
    hop();
    s += n->value;
  }
  return s;
}
int main() {
  Node a{{}, 1}, b{&a, 2}, c{&b, 3};
  printf("%ld\n", sum(&c));
  a.next = &global;
  printf("%ld\n", sum(&c));
}
