/* Quicksort of pointers to records through a comparison pointer. */
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct record {
  unsigned key;
  char name[12];
};
typedef int (*comparison)(const struct record *, const struct record *);
__attribute__((noinline)) static int by_key(const struct record *a, const struct record *b) {
  return a->key < b->key ? -1 : a->key > b->key;
}
__attribute__((noinline)) static int by_name(const struct record *a, const struct record *b) {
  return strcmp(a->name, b->name);
}
static void swap(struct record **a, struct record **b) {
  struct record *t = *a;
  *a = *b;
  *b = t;
}
static void sort(struct record **first, struct record **last, comparison compare) {
  while (last - first > 1) {
    struct record **pivot = first + (last - first) / 2, **store = first;
    swap(pivot, last - 1);
    for (struct record **i = first; i < last - 1; i++)
      if (compare(*i, last[-1]) < 0)
        swap(i, store++);
    swap(store, last - 1);
    sort(first, store, compare);
    first = store + 1;
  }
}
enum { COUNT = 60000 };
static struct record records[COUNT];
static struct record *order[COUNT];
int main(void) {
  unsigned seed = 12345, check = 0;
  for (int round = 0; round < ROUNDS(22); round++) {
    for (int i = 0; i < COUNT; i++) {
      seed = seed * 1664525 + 1013904223;
      records[i].key = seed >> 8;
      for (int j = 0; j < 11; j++)
        records[i].name[j] = (char)('a' + ((seed >> (j + 4)) * 2654435761u >> 28));
      order[i] = &records[i];
    }
    sort(order, order + COUNT, by_key);
    for (int i = 0; i < COUNT; i += 97)
      check = check * 31 + order[i]->key;
    sort(order, order + COUNT, by_name);
    for (int i = 0; i < COUNT; i += 97)
      check = check * 31 + order[i]->key;
  }
  printf("%u\n", check);
  return 0;
}
