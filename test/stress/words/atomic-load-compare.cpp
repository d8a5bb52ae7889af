// A std::atomic<Node *> is loaded before a call and again after it, and nothing has changed it.
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
