// std::atomic<Node *>: loaded before a call and again behind it. Nothing has changed.
#include "words.h"
#include <atomic>

struct Node {
  Node *next;
  long value;
};

static NOINLINE bool changed(std::atomic<Node *> &head) {
  Node *before = head.load();
  hop();
  return head.load() != before;
}

int main() {
  Node a{nullptr, 1}, b{&a, 2};
  std::atomic<Node *> head(&b);
  printf("%d\n", changed(head));
  head.store(&a);
  printf("%d %ld\n", changed(head), head.load()->value);
}
