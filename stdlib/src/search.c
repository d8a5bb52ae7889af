/* bsearch, lfind and lsearch, compiled to migrate: a comparison may move the thread. */
#include "library.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

typedef int (*compare_two)(const void *, const void *);

void *__skein_c_bsearch(const void *key, const void *base, size_t n, size_t size, compare_two compare) {
  const char *from = base;
  while (n > 0) {
    const char *middle = from + n / 2 * size;
    int order = compare(key, middle);
    if (order == 0)
      return (void *)middle;
    if (order > 0) {
      from = middle + size;
      n -= n / 2 + 1;
    } else {
      n /= 2;
    }
  }
  return NULL;
}

void *__skein_c_lfind(const void *key, const void *base, size_t *n, size_t size, compare_two compare) {
  const char *at = base;
  for (size_t i = 0; i < *n; ++i, at += size)
    if (compare(key, at) == 0)
      return (void *)at;
  return NULL;
}

void *__skein_c_lsearch(const void *key, void *base, size_t *n, size_t size, compare_two compare) {
  void *found = __skein_c_lfind(key, base, n, size, compare);
  if (found)
    return found;
  return memcpy((char *)base + (*n)++ * size, key, size);
}
