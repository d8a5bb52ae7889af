// A string builder over a local buffer: start, end and limit are pointers into it, kept in a struct and in registers.
#include "hop.h"
#include <string.h>

struct builder {
  char *start, *end, *limit;
};

static NOINLINE int add(struct builder *b, const char *s) {
  const char *from = s;
  while (*s) {
    hop();
    if (b->end == b->limit)
      return (int)(s - from);
    *b->end++ = *s++;
  }
  *b->end = 0;
  return (int)(s - from);
}

static NOINLINE void insert(struct builder *b, char *where, char c) {
  size_t tail = (size_t)(b->end - where) + 1;
  hop();
  memmove(where + 1, where, tail);
  *where = c;
  b->end++;
}

int main(void) {
  char text[40];
  struct builder b = {text, text, text + 39};
  text[0] = 0;
  int n = add(&b, "length") * 100 + add(&b, " and width");
  insert(&b, strchr(text, ' '), ',');
  hop();
  n = n * 100 + add(&b, ", height and depth of it");
  text[39] = 0;
  printf("%s|%d %ld\n", text, n, (long)(b.end - b.start));
}
