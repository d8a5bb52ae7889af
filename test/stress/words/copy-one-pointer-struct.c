// memcpy of a struct of one pointer, which the optimiser does as an integer.
#include "words.h"

struct handle {
  long *to;
};

static NOINLINE long use(struct handle *table, int from, int to) {
  struct handle mine;
  memcpy(&mine, table + from, sizeof mine);
  hop();
  memcpy(table + to, &mine, sizeof mine);
  hop();
  return *table[to].to + (memcmp(&mine, table + from, sizeof mine) == 0);
}

int main(void) {
  long a = 10, b = 20;
  struct handle table[2] = {{&a}, {&b}};
  printf("%ld\n", use(table, 0, 1));
}
