// errno set before a call, read after it, and its address held in a pointer.
#include "hop.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static NOINLINE int parse(const char *s, long *out) {
  char *end;
  errno = 0;
  *out = strtol(s, &end, 10);
  hop();
  int problem = errno;
  hop();
  return problem ? -problem : (int)(end - s);
}

static NOINLINE int keep(int value) {
  int *e = &errno;
  *e = value;
  hop();
  int seen = errno;
  errno = value + 1;
  hop();
  return seen * 100 + errno + (e == &errno);
}

int main(void) {
  long n;
  const char *texts[] = {"12", "99999999999999999999999", "x", "-7 "};
  for (int i = 0; i < 4; i++) {
    int r = parse(texts[i], &n);
    printf("%d %ld\n", r, n);
    printf("%d\n", keep(i));
  }
}
