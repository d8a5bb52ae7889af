// Static locals with guards, globals with constructors that run before main, and their addresses in locals.
#include "hop.h"

struct Table {
  int cells[8];
  int *last;
  explicit Table(int n) {
    for (int i = 0; i < 8; i++)
      cells[i] = i * n;
    last = cells + 7;
  }
};
static Table before_main(3);

static NOINLINE Table &lazily(int n) {
  static Table t(n + static_cast<int>(hop_long(4)));
  hop();
  return t;
}

int main() {
  Table *const both[] = {&before_main, &lazily(1)};
  for (int i = 0; i < 6; i++) {
    Table &t = *both[i & 1];
    hop();
    *t.last += i;
    printf("%d %d\n", t.cells[7], lazily(100).cells[i]);
  }
}
