// argv and the strings it leads to, changed and kept across calls: they lie beside the stack, not in it.
#include "hop.h"
#include <string.h>

static NOINLINE char **last(char **p) {
  while (p[0] && p[1]) {
    hop();
    p++;
  }
  return p;
}

int main(int argc, char **argv) {
  char *name = argv[0], **end = last(argv), **first = argv;
  hop();
  int same = *end == argv[argc - 1], null = argv[argc] == NULL;
  hop();
  char *slash = strrchr(name, '/');
  hop();
  printf("%d %d %d %ld\n", same, null, slash != NULL && slash > name, (long)(end - first));
  argv[0] = "other";
  hop();
  printf("%s\n", *first);
}
