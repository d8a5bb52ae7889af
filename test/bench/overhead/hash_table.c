/* A chained hash table reached through a table of functions, as a library would offer it. */
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct entry {
  struct entry *next;
  unsigned hash;
  int count;
  char key[16];
};
struct table {
  struct entry *buckets[4096];
  struct entry *free;
  unsigned (*hash)(const char *);
  int (*equal)(const char *, const char *);
};
__attribute__((noinline)) static unsigned hash_string(const char *key) {
  unsigned h = 2166136261u;
  while (*key)
    h = (h ^ (unsigned char)*key++) * 16777619u;
  return h;
}
__attribute__((noinline)) static int equal_string(const char *a, const char *b) { return strcmp(a, b) == 0; }
__attribute__((noinline)) static struct entry *find(struct table *table, const char *key, int insert) {
  unsigned hash = table->hash(key);
  struct entry **place = &table->buckets[hash % 4096];
  for (struct entry *e = *place; e; e = e->next)
    if (e->hash == hash && table->equal(e->key, key))
      return e;
  if (!insert)
    return 0;
  struct entry *e = table->free;
  table->free = e->next;
  e->hash = hash;
  e->count = 0;
  strcpy(e->key, key);
  e->next = *place;
  return *place = e;
}
static struct table table;
static struct entry entries[8192];
static void number_name(char *to, unsigned n) {
  *to++ = 'k';
  do
    *to++ = (char)('a' + n % 26);
  while ((n /= 26));
  *to = 0;
}
int main(void) {
  table.hash = hash_string;
  table.equal = equal_string;
  for (int i = 0; i < 8191; i++)
    entries[i].next = &entries[i + 1];
  table.free = entries;
  unsigned seed = 7;
  long found = 0;
  for (int i = 0; i < ROUNDS(14000000); i++) {
    char key[16];
    seed = seed * 1664525 + 1013904223;
    number_name(key, (seed >> 10) % 9000);
    struct entry *e = find(&table, key, (seed >> 10) % 9000 < 8000);
    if (e)
      found += ++e->count;
  }
  printf("%ld\n", found);
  return 0;
}
