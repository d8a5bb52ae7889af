// lfind and lsearch over structs with pointers to locals; bsearch over what qsort has made.
// options: stress_every=13
#define _GNU_SOURCE
#include "hop.h"
#include <search.h>
#include <stdlib.h>

struct record {
  const char *name;
  int *value;
};

static int by_value(const void *a, const void *b) {
  const struct record *x = a, *y = b;
  hop();
  return *x->value - *y->value;
}

int main(void) {
  int values[300];
  struct record entries[301];
  size_t count = 0;
  for (int i = 0; i < 300; i++) {
    values[i] = i * 7919 % 211;
    struct record wanted = {"x", &values[i]};
    struct record *found = lsearch(&wanted, entries, &count, sizeof *entries, by_value);
    if (i % 50 == 0)
      printf("%td of %zu: %td\n", found - entries, count, found->value - values);
  }
  qsort(entries, count, sizeof *entries, by_value);
  int wanted_value = 100;
  struct record wanted = {"y", &wanted_value};
  struct record *found = bsearch(&wanted, entries, count, sizeof *entries, by_value);
  printf("%td %td %s\n", found - entries, found->value - values, found->name);
  found = lfind(&wanted, entries, &count, sizeof *entries, by_value);
  printf("%td\n", found - entries);
  wanted_value = -1;
  printf("%d %d\n", bsearch(&wanted, entries, count, sizeof *entries, by_value) == NULL,
         lfind(&wanted, entries, &count, sizeof *entries, by_value) == NULL);
  long sum = 0;
  for (size_t i = 0; i < count; i++)
    sum = sum * 31 % 1000003 + *entries[i].value;
  printf("%zu %ld\n", count, sum);
}
