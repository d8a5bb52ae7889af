// open_memstream keeps the addresses of two locals, fmemopen that of a local buffer.
// refused: library
#include "hop.h"
#include <stdlib.h>

static NOINLINE long written(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  for (int i = 0; i < 10; i++) {
    hop();
    fprintf(f, "%d;", i * 7);
  }
  fflush(f);
  hop();
  long n = (long)size * 1000 + text[size - 2];
  fclose(f);
  hop();
  n += text[0];
  free(text);
  return n;
}

static NOINLINE long read_back(void) {
  char text[] = "3 5 7 11 13";
  FILE *f = fmemopen(text, sizeof text - 1, "r");
  long sum = 0;
  int n;
  while (fscanf(f, "%d", &n) == 1) {
    hop();
    sum = sum * 10 + n;
  }
  fclose(f);
  return sum;
}

int main(void) {
  printf("%ld\n", written());
  printf("%ld\n", read_back());
}
