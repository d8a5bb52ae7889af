// One comparison, two uses in different blocks, each behind another number of calls.
#include "hop.h"

static NOINLINE int use(int *p, long way) {
  int mine = 3;
  int *q = way & 1 ? &mine : p;
  int own = q == &mine;
  if (way & 2) {
    hop();
    if (own)
      mine += 10;
  } else {
    hop();
    hop();
    if (!own)
      mine -= 10;
  }
  hop();
  return mine * 2 + own + *q;
}

int main(void) {
  int other = 1000;
  for (long way = 0; way < 4; way++)
    printf("%d\n", use(&other, hop_long(way)));
}
