// Containers by templates with storage in the frame: a small vector, an optional, an intrusive list.
// refused: ambiguous
#include "hop.h"
#include <new>

template <typename T, int N> class Small {
  alignas(T) unsigned char bytes[N * sizeof(T)];
  T *end_ = begin();

public:
  T *begin() { return reinterpret_cast<T *>(bytes); }
  T *end() { return end_; }
  template <typename... A> NOINLINE T &add(A... arguments) {
    hop();
    return *new (end_++) T{arguments...};
  }
  ~Small() {
    while (end_ != begin())
      (--end_)->~T();
  }
};

struct Node {
  int n;
  Node *previous;
};

template <typename T, typename F> static NOINLINE T fold(Node *n, T start, F f) {
  for (; n; n = n->previous) {
    hop();
    start = f(start, n);
  }
  return start;
}

int main() {
  Small<Node, 12> nodes;
  Small<Node *, 12> order;
  Node *last = nullptr;
  for (int i = 0; i < 12; i++) {
    last = &nodes.add(i * 5 % 12, last);
    order.add(last);
  }
  printf("%ld\n", fold(last, 0L, [](long s, Node *n) { return s * 3 + n->n; }));
  const Node *most = fold(last, last, [](Node *m, Node *n) { return n->n > m->n ? n : m; });
  hop();
  long sum = 0;
  for (Node *n : order) {
    hop();
    sum = sum * 2 + (n == most) + n->n;
  }
  printf("%d %ld\n", most->n, sum);
}
