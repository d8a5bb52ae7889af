// setvbuf gives a stream a buffer on the stack; the library writes there until the stream is closed.
// refused: library
#include "hop.h"
#include <stdlib.h>

static NOINLINE long buffered(void) {
  char buffer[256];
  FILE *f = tmpfile();
  if (!f)
    return -1;
  setvbuf(f, buffer, _IOFBF, sizeof buffer);
  for (int i = 0; i < 40; i++) {
    fprintf(f, "%d ", i * i);
    hop();
  }
  rewind(f);
  long sum = 0, n;
  while (fscanf(f, "%ld", &n) == 1) {
    sum = sum * 3 + n;
    hop();
  }
  fclose(f);
  return sum;
}

int main(void) {
  long n = buffered();
  hop();
  printf("%ld\n", n);
}
