// A tagged pointer class with a destructor, in a container on the stack, as LLVM's PointerIntPair.
#include "words.h"

template <class T> class Tagged {
  uintptr_t word;

public:
  Tagged(T *p = nullptr, unsigned tag = 0) : word((uintptr_t)p | tag) {}
  ~Tagged() { word = 0; }
  Tagged(const Tagged &) = default;
  Tagged &operator=(const Tagged &) = default;
  T *pointer() const { return (T *)(word & ~(uintptr_t)7); }
  unsigned tag() const { return word & 7; }
  bool operator==(const Tagged &) const = default;
};

struct Tree {
  Tagged<Tree> left, right; // tag 1: a thread to the next one
  long value;
};

static NOINLINE long walk(Tagged<Tree> at) {
  long sum = 0;
  while (Tree *t = at.pointer()) {
    hop();
    if (at.tag() == 0 && t->left.pointer()) {
      at = t->left;
      continue;
    }
    for (;;) {
      sum = sum * 10 + t->value;
      Tagged<Tree> next = t->right;
      hop();
      if (!(next == t->right))
        return -1;
      t = next.pointer();
      at = next;
      if (!t || next.tag() == 0)
        break;
    }
    if (!t)
      break;
  }
  return sum;
}

int main() {
  Tree a{{}, {}, 1}, b{{}, {}, 2}, c{{}, {}, 3};
  b.left = Tagged<Tree>(&a);
  a.right = Tagged<Tree>(&b, 1);
  b.right = Tagged<Tree>(&c);
  hop();
  printf("%ld\n", walk(Tagged<Tree>(&b)));
}
