// Objects with pointers are made by placement new in arrays of numbers: long, double, char.
#include "words.h"
#include <new>

struct Node {
  Node *next;
  long value;
};

static NOINLINE Node *make(void *where, Node *next, long value) { return new (where) Node{next, value}; }

static NOINLINE long sum(Node *n) {
  long total = 0;
  for (; n; n = n->next) {
    hop();
    total = total * 10 + n->value;
  }
  return total;
}

static NOINLINE long build() {
  long longs[2];
  double doubles[2];
  alignas(8) unsigned char bytes[16];
  int ints[4];
  Node *n = make(longs, nullptr, 1);
  n = make(doubles, n, 2);
  n = make(bytes, n, 3);
  n = make((void *)(((uintptr_t)ints + 7) & ~(uintptr_t)7), n, 4) == nullptr ? n : n;
  hop();
  return sum(n);
}

int main() { printf("%ld\n", build()); }
