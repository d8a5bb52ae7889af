// Loops whose induction variables are pointers of three strides, one running down, compared with two bounds.
// refused (O0): part
#include "hop.h"

struct sample {
  short kind;
  double value;
  int *count;
};

static NOINLINE double run(struct sample *s, int n) {
  double sum = 0;
  struct sample *low = s, *high = s + n;
  for (struct sample *p = low, *q = high - 1; p < high && q >= low; p += 2, q--) {
    hop();
    sum = sum * 0.5 + p->value - q->value;
    ++*p->count;
    hop();
    --*q->count;
    for (short *k = &p->kind; k == &p->kind; k++)
      sum += *k;
  }
  return sum;
}

int main(void) {
  int counts[3] = {0, 0, 0};
  struct sample s[15];
  for (int i = 0; i < 15; i++)
    s[i] = (struct sample){(short)i, i * 0.75, &counts[i % 3]};
  for (int n = 1; n <= 15; n += 2)
    printf("%.6f\n", run(s, n));
  printf("%d %d %d\n", counts[0], counts[1], counts[2]);
}
