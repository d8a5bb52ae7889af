// A function's locals are used by its own handler after an exception, through what only memory holds; rethrown.
#include "words.h"
#include <cstdint>

struct Frame {
  Frame *up;
  long *value;
  uintptr_t hidden;
};

struct Machine {
  Frame *top = nullptr;
  long sum = 0;
};

static NOINLINE void push(Machine &m, Frame *f) {
  f->up = m.top;
  m.top = f;
}

static NOINLINE void run(Machine &m, int depth) {
  long value = depth;
  Frame f{nullptr, &value, (uintptr_t)&value ^ key()};
  push(m, &f);
  try {
    hop();
    if (depth == 0)
      throw 7;
    run(m, depth - 1);
  } catch (...) {
    hop();
    for (Frame *at = m.top; at; at = at->up)
      m.sum = m.sum * 3 + *at->value + *(long *)(at->hidden ^ key());
    m.top = f.up;
    throw;
  }
}

int main() {
  Machine m;
  try {
    run(m, 3);
  } catch (int code) {
    printf("%d %ld\n", code, m.sum);
  }
}
