// An address is written digit by digit, which a table gives, and read again.
#include "words.h"
static NOINLINE void write_it(char *to, uintptr_t n) {
  for (int i = 0; i < 16; i++)
    to[i] = "0123456789abcdef"[n >> (60 - 4 * i) & 15];
}
static NOINLINE uintptr_t read_it(const char *s) {
  uintptr_t n = 0;
  for (int i = 0; i < 16; i++)
    n = n * 16 + (s[i] <= '9' ? s[i] - '0' : s[i] - 'a' + 10);
  return n;
}
int main(void) {
  long a = 7;
  char text[17] = "";
  write_it(text, (uintptr_t)&a);
  hop();
  printf("%ld\n", *(long *)read_it(text));
}
