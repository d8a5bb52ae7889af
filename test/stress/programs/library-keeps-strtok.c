// strtok keeps an address in a local buffer between calls, where no map shows it.
// refused: library, global
#include "hop.h"
#include <string.h>

static NOINLINE int words(char *line) {
  int n = 0;
  for (char *w = strtok(line, " ,"); w; w = strtok(NULL, " ,")) {
    hop();
    n = n * 31 + (int)strlen(w) + w[0];
  }
  return n;
}

int main(void) {
  char line[] = "one, two three,four  five", other[] = "a b";
  printf("%d\n", words(line));
  hop();
  printf("%d\n", words(other));
}
