// Loop-invariant motion hoists ptrtoint of two bases out of a loop over elements of 24 bytes.
#include "hop.h"

struct item {
  long key;
  struct item *left, *right;
};

static NOINLINE long distances(struct item *a, struct item *b) {
  long s = 0;
  for (struct item *i = a; i; i = i->right) {
    hop();
    s = s * 3 + (i - a) * 10 + (i - b);
    if (i->left)
      s += i->left - a;
  }
  return s;
}

int main(void) {
  struct item t[8];
  for (int i = 0; i < 8; i++)
    t[i] = (struct item){i, i & 1 ? &t[7 - i] : NULL, i < 7 ? &t[i + 1] : NULL};
  printf("%ld\n", distances(t, t + 3));
  printf("%ld\n", distances(t + 2, t + 7));
}
