// A struct with pointers is copied word by word as `unsigned long` (-fno-strict-aliasing), a word across each call.
// flags: -fno-strict-aliasing
#include "words.h"
struct list {
  struct list *next;
  long value;
};

static NOINLINE void copy(struct list *to, const struct list *from) {
  const unsigned long *f = (const unsigned long *)from;
  unsigned long *t = (unsigned long *)to, words[2];
  words[0] = f[0];
  words[1] = f[1];
  hop();
  t[0] = words[0];
  hop();
  t[1] = words[1];
}

int main(void) {
  struct list a = {0, 1}, b = {&a, 2}, c;
  copy(&c, &b);
  printf("%ld %ld\n", c.value, c.next->value);
}
