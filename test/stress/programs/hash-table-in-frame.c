// A hash table with chains in local arrays, keyed by text, its entries' addresses kept by callers.
#include "hop.h"
#include <string.h>

struct entry {
  const char *key;
  int value;
  struct entry *next;
};
struct table {
  struct entry *buckets[8], *free, *end;
};

static NOINLINE unsigned hash(const char *s) {
  unsigned h = 2166136261u;
  for (; *s; s++)
    h = (h ^ (unsigned char)*s) * 16777619u;
  hop();
  return h % 8;
}

static NOINLINE int *value(struct table *t, const char *key) {
  struct entry **at = &t->buckets[hash(key)];
  for (; *at; at = &(*at)->next)
    if (strcmp((*at)->key, key) == 0)
      return &(*at)->value;
  hop();
  if (t->free == t->end)
    return NULL;
  *t->free = (struct entry){key, 0, NULL};
  *at = t->free++;
  return &(*at)->value;
}

int main(void) {
  struct entry entries[16];
  struct table t = {{0}, entries, entries + 16};
  char text[] = "a b c a b a d e f g a h b", *words[16];
  int n = 0, *a = value(&t, "a");
  for (char *p = text; *p; p++)
    if (*p != ' ')
      words[n++] = p;
    else
      *p = 0;
  for (int i = 0; i < n; i++)
    ++*value(&t, words[i]);
  hop();
  *a *= 100;
  for (struct entry *e = entries; e < t.free; e++)
    printf("%s%d ", e->key, e->value);
  printf("\n");
}
