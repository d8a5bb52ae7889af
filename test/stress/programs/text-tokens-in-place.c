// Fields of a line cut in place, held as an array of pointers, sorted and joined again.
#include "hop.h"
#include <string.h>

static NOINLINE int cut(char *line, char **fields, int most) {
  int n = 0;
  char *start = line;
  for (char *p = line;; p++) {
    hop();
    if (*p == ',' || !*p) {
      int last = !*p;
      *p = 0;
      if (n < most)
        fields[n++] = start;
      start = p + 1;
      if (last)
        return n;
    }
  }
}

int main(void) {
  char line[] = "walnut,oak,,birch,elm,larch", *fields[8];
  int n = cut(line, fields, 8);
  for (int i = 1; i < n; i++)
    for (int j = i; j && strcmp(fields[j - 1], fields[j]) > 0; j--) {
      char *t = fields[j];
      fields[j] = fields[j - 1];
      hop();
      fields[j - 1] = t;
    }
  for (int i = 0; i < n; i++)
    printf("%s:%ld ", fields[i], (long)(fields[i] - line));
  printf("\n");
}
