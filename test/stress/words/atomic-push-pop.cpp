// In a lock-free stack, what is popped was loaded before a call, and is compared after it. Since there is only one
// thread, the exchange succeeds at once.
#include "words.h"
#include <atomic>

struct Node {
  Node *next;
  long value;
};

struct Stack {
  std::atomic<Node *> head{nullptr};
  long retries = 0;
  void push(Node *node) {
    node->next = head.load();
    hop();
    while (!head.compare_exchange_strong(node->next, node))
      retries++;
  }
  Node *pop() {
    Node *old = head.load();
    hop();
    while (old && !head.compare_exchange_strong(old, old->next))
      retries++;
    return old;
  }
};

static NOINLINE long run(Stack &stack, Node *nodes, int count) {
  for (int i = 0; i < count; i++)
    stack.push(nodes + i);
  long sum = 0;
  while (Node *node = stack.pop())
    sum = sum * 10 + node->value;
  return sum;
}

int main() {
  Node nodes[] = {{nullptr, 1}, {nullptr, 2}, {nullptr, 3}};
  Stack stack;
  long sum = run(stack, nodes, 3);
  printf("%ld, %ld retries\n", sum, stack.retries);
}
