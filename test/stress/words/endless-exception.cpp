// A loop without an end is left by an exception; its locals are used until then by what it calls.
#include "words.h"

struct Node {
  Node *next;
  long value;
};

struct Server {
  Node *list;
  long steps, sum;
};

static NOINLINE void step(Server &s) {
  hop();
  s.sum = s.sum * 10 + s.list->value + s.list->next->value;
  hop();
  if (++s.steps == 3)
    throw s.sum;
}

static NOINLINE void add(Server &s, Node *n) { s.list = n; }

static NOINLINE void serve(Server &s) {
  Node last{nullptr, 2}, first{&last, 3};
  add(s, &first);
  for (;;)
    step(s);
}

int main() {
  Server s{};
  try {
    serve(s);
  } catch (long sum) {
    printf("%ld\n", sum);
  }
}
