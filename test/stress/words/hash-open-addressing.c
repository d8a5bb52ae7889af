// A table in a local array, open addressing, keys are addresses plus one; sought by walking all of it.
#include "words.h"

struct entry {
  uintptr_t key;
  long value;
};
static NOINLINE long find(struct entry *t, long *p) {
  for (int i = 0; i < 8; i++)
    if (t[i].key == ((uintptr_t)p | 1))
      return t[i].value;
  return -1;
}
static NOINLINE long use(long *p, long *q) {
  struct entry t[8] = {{0}};
  t[3] = (struct entry){(uintptr_t)p | 1, 5};
  t[6] = (struct entry){(uintptr_t)q | 1, 7};
  hop();
  return find(t, p) * 10 + find(t, q);
}

int main(void) {
  long a = 5, b = 6;
  printf("%ld\n", use(&a, &b));
}
