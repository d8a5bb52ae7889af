// The bytes of an address are text of hexadecimal digits.
#include "words.h"

static NOINLINE void write_digits(char *to, const void *from, int n) {
  const unsigned char *b = from;
  for (int i = 0; i < n; i++)
    to[2 * i] = "0123456789abcdef"[b[i] >> 4], to[2 * i + 1] = "0123456789abcdef"[b[i] & 15];
}
static NOINLINE void read_digits(void *to, const char *from, int n) {
  unsigned char *b = to;
  for (int i = 0; i < n; i++) {
    int h = from[2 * i], l = from[2 * i + 1];
    b[i] = (unsigned char)((h > '9' ? h - 'a' + 10 : h - '0') << 4 | (l > '9' ? l - 'a' + 10 : l - '0'));
  }
}
static NOINLINE long use(long *p) {
  char text[16];
  write_digits(text, &p, 8);
  p = 0;
  hop();
  read_digits(&p, text, 8);
  return *p;
}

int main(void) {
  long a = 5;
  printf("%ld\n", use(&a));
}
