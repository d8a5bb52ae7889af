// strtok_r and strsep keep their place in the caller's own pointer: these can move.
#include "hop.h"
#include <string.h>

static NOINLINE int words(char *line) {
  int n = 0;
  char *place;
  for (char *w = strtok_r(line, " ,", &place); w; w = strtok_r(NULL, " ,", &place)) {
    hop();
    n = n * 31 + (int)strlen(w) + w[0];
  }
  return n;
}

static NOINLINE int parts(char *line) {
  int n = 0;
  char *rest = line, *w;
  while ((w = strsep(&rest, ":"))) {
    hop();
    n = n * 7 + (int)strlen(w);
  }
  return n + (rest == NULL);
}

int main(void) {
  char line[] = "one, two three,four  five", fields[] = "root:x:0:0::/root:";
  printf("%d\n", words(line));
  printf("%d\n", parts(fields));
}
