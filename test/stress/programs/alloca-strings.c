// strdupa-like copies in one frame, joined into a path; alloca in a loop with a bound only known at run time.
#include "hop.h"
#include <alloca.h>
#include <string.h>

static NOINLINE size_t measure(char **words, int n) {
  size_t total = 0;
  for (int i = 0; i < n; i++) {
    hop();
    total += strlen(words[i]) + 1;
  }
  return total;
}

static NOINLINE long join(const char *const *words, int n) {
  char *copies[8];
  for (int i = 0; i < n; i++) {
    size_t bytes = strlen(words[i]) + 1;
    copies[i] = alloca(bytes);
    hop();
    memcpy(copies[i], words[i], bytes);
    copies[i][0] ^= 32;
  }
  char *all = alloca(measure(copies, n)), *end = all;
  for (int i = 0; i < n; i++) {
    hop();
    end = stpcpy(end, copies[i]);
    *end++ = '/';
  }
  end[-1] = 0;
  hop();
  puts(all);
  return end - all;
}

int main(void) {
  const char *const words[] = {"usr", "share", "doc", "skein", "examples", "list"};
  for (int n = 1; n <= 6; n++)
    printf("%ld\n", join(words, n));
}
