// A union of pointer and integer whose tag says which; both kinds are live across calls.
#include "hop.h"

struct value {
  enum { NUMBER, STRING } kind;
  union {
    long number;
    char *string;
  };
};

static NOINLINE long length(struct value *v, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    if (v[i].kind == NUMBER)
      sum += v[i].number;
    else
      for (char *s = v[i].string; *s; s++)
        sum += *s;
    hop();
  }
  return sum;
}

int main(void) {
  char text[] = "text", more[] = "more";
  struct value v[4] = {
      {NUMBER, {.number = 100000}}, {STRING, {.string = text}}, {NUMBER, {.number = -1}}, {STRING, {.string = more}}};
  printf("%ld\n", length(v, 4));
}
