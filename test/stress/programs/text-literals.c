// Pointers to string literals and into them, in locals, arrays and structs, compared and subtracted after calls.
#include "hop.h"
#include <string.h>

struct word {
  const char *text, *vowel;
};

static NOINLINE const char *vowel(const char *s) {
  hop();
  return s + strcspn(s, "aeiou");
}

int main(void) {
  const char *words[] = {"thread", "frame", "stack", "skein", "brrr"};
  struct word w[5];
  for (int i = 0; i < 5; i++) {
    w[i].text = words[4 - i];
    hop();
    w[i].vowel = vowel(w[i].text);
  }
  for (int i = 0; i < 5; i++) {
    const char *s = w[i].text;
    hop();
    printf("%s %ld %d\n", s, (long)(w[i].vowel - s), s == words[4 - i]);
  }
}
