// Exceptions leave functions; destructors use locals through pointers that only memory holds.
#include "words.h"

struct Node {
  Node *next;
  long value;
};

struct Log {
  Node *list;
  long sum;
};

struct Guard {
  Log &log;
  Node *before;
  ~Guard() {
    hop();
    for (Node *n = log.list; n; n = n->next)
      log.sum = log.sum * 10 + n->value;
    log.list = before;
  }
};

static NOINLINE void add(Log &log, Node *n) {
  n->next = log.list;
  log.list = n;
}

static NOINLINE void fail(long code) {
  hop();
  throw code;
}

static NOINLINE void work(Log &log, long depth) {
  Node a{nullptr, depth}, b{nullptr, depth + 1};
  Guard guard{log, log.list};
  add(log, &a);
  add(log, &b);
  hop();
  if (depth < 5)
    work(log, depth + 2);
  fail(depth);
}

int main() {
  Log log{};
  try {
    work(log, 1);
  } catch (long code) {
    printf("%ld %ld\n", code, log.sum);
  }
}
