// insque and remque link locals; strtol, strchr, memchr and bsearch return pointers into local arrays.
// refused: library
#include "hop.h"
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct element {
  struct element *next, *previous;
  int value;
};

static NOINLINE int queue(void) {
  struct element e[4];
  for (int i = 0; i < 4; i++)
    e[i].value = i + 1;
  insque(&e[0], NULL);
  insque(&e[1], &e[0]);
  hop();
  insque(&e[2], &e[0]);
  insque(&e[3], &e[2]);
  hop();
  remque(&e[2]);
  hop();
  int n = 0;
  for (struct element *p = &e[0]; p; p = p->next) {
    n = n * 10 + p->value;
    hop();
  }
  return n;
}

static NOINLINE long parse(char *text) {
  long sum = 0;
  for (char *p = text; *p;) {
    char *end;
    long n = strtol(p, &end, 10);
    hop();
    sum = sum * 7 + n + (end - p);
    p = strchr(end, ' ');
    hop();
    if (!p)
      break;
    p++;
  }
  char *m = memchr(text, '7', strlen(text));
  hop();
  return sum * 100 + (m ? m - text : -1);
}

int main(void) {
  char text[] = "12 -5 977 0 3";
  printf("%d\n", queue());
  printf("%ld\n", parse(text));
}
