// A struct is copied by a loop over its characters in a function of its own.
#include "words.h"

struct pair {
  long *first;
  char text[5];
  long *second;
};

static NOINLINE void copy(void *to, const void *from, size_t size) {
  char *t = to;
  const char *f = from;
  while (size--)
    *t++ = *f++;
}

static NOINLINE long use(struct pair *p) {
  char box[sizeof *p];
  copy(box, p, sizeof *p);
  hop();
  struct pair back;
  copy(&back, box, sizeof back);
  hop();
  return *back.first * 10 + *back.second + back.text[0];
}

int main(void) {
  long a = 1, b = 2;
  struct pair p = {&a, "text", &b};
  printf("%ld\n", use(&p));
}
