// The C library's hash table and tree keep addresses of the stack as data and keys.
// changes: process
#include "words.h"
#include <search.h>

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static NOINLINE long use(long *p, char *name) {
  hcreate(10);
  hsearch((ENTRY){"one", p}, ENTER);
  void *root = 0;
  tsearch(name, &root, compare);
  hop();
  ENTRY *found = hsearch((ENTRY){"one", 0}, FIND);
  hop();
  char **again = tfind("name", &root, compare);
  long sum = *(long *)found->data * 10 + (*again == name);
  tdelete("name", &root, compare);
  hdestroy();
  return sum;
}

int main(void) {
  long a = 5;
  char name[] = "name";
  printf("%ld\n", use(&a, name));
}
