// A cold function, and a whole program at -Os, in which many memory operands could share one LEA across calls.
#include "hop.h"

struct table {
  long head[4];
  int cell[64];
  struct {
    short a, b;
    int *p;
  } row[8];
};

static NOINLINE __attribute__((cold)) long fill(long i, long j) {
  struct table t = {{0}, {0}, {{0}}};
  t.cell[i] = 1;
  t.cell[i + 1] = 2;
  t.cell[i + 2] = 3;
  t.row[j].a = 4;
  t.row[j].b = 5;
  t.row[j].p = &t.cell[i];
  hop();
  t.cell[i] += 10;
  t.cell[i + 1] += 20;
  t.cell[i + 2] += 30;
  t.row[j].a += 40;
  t.row[j].b += 50;
  hop();
  *t.row[j].p += 100;
  t.cell[i + 1] += 200;
  t.cell[i + 2] += 300;
  t.head[j & 3] = t.row[j].a * 3 + t.row[j].b;
  hop();
  return t.head[j & 3] * 1000000 + t.cell[i] * 10000 + t.cell[i + 1] * 100 + t.cell[i + 2] + t.row[j].a + t.row[j].p[1];
}

int main(void) {
  for (long i = 0; i < 8; i++)
    printf("%ld\n", fill(hop_long(i * 7), hop_long(7 - i)));
}
