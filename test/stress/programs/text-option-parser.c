// A parser of command lines: arrays of argument strings in the frame, results through a table of addresses of locals.
#include "hop.h"
#include <stdlib.h>
#include <string.h>

struct option {
  const char *name;
  enum { FLAG, NUMBER, TEXT } kind;
  void *to;
};

static NOINLINE const struct option *find(const struct option *o, const char *name) {
  for (; o->name; o++) {
    hop();
    if (strcmp(o->name, name) == 0)
      return o;
  }
  return NULL;
}

static NOINLINE char **parse(char **at, const struct option *options) {
  for (; *at && (*at)[0] == '-'; at++) {
    char *equals = strchr(*at, '=');
    if (equals)
      *equals++ = 0;
    const struct option *o = find(options, *at + 1);
    if (!o)
      return at;
    switch (o->kind) {
    case FLAG:
      *(int *)o->to = 1;
      break;
    case NUMBER:
      *(long *)o->to = strtol(equals ? equals : *++at, NULL, 10);
      break;
    case TEXT:
      *(char **)o->to = equals ? equals : *++at;
      break;
    }
    hop();
  }
  return at;
}

int main(void) {
  int verbose = 0, quiet = 0;
  long count = 1;
  char none[] = "none", *name = none;
  const struct option options[] = {{"verbose", FLAG, &verbose},
                                   {"quiet", FLAG, &quiet},
                                   {"count", NUMBER, &count},
                                   {"name", TEXT, &name},
                                   {NULL, FLAG, NULL}};
  char a[] = "-verbose", b[] = "-count", c[] = "17", d[] = "-name=thread", e[] = "-unknown", f[] = "rest";
  char *line[] = {a, b, c, d, e, f, NULL};
  char **rest = parse(line, options);
  hop();
  printf("%d %d %ld %s %s %ld\n", verbose, quiet, count, name, *rest, (long)(rest - line));
}
