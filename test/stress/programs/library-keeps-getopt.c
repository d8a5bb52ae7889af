// getopt leaves addresses of local argument strings in global variables of the library (optarg).
// refused: library
#include "hop.h"
#include <stdlib.h>
#include <unistd.h>

static NOINLINE int options(void) {
  char program[] = "program", a[] = "-a", b[] = "-b17", c[] = "-c", value[] = "23", last[] = "rest";
  char *arguments[] = {program, a, b, c, value, last, NULL};
  int n = 0, o;
  while ((o = getopt(6, arguments, "ab:c:")) != -1) {
    const char *kept = optarg;
    hop();
    n = n * 100 + (o - 'a') + (kept ? atoi(optarg) + atoi(kept) : 0);
  }
  hop();
  return n * 10 + optind + (arguments[optind][0] == 'r');
}

int main(void) { printf("%d\n", options()); }
