// The C library's own qsort and bsearch, since they are declared by hand: a foreign frame lies on the stack meanwhile.
// refused: foreign
#include "hop.h"

void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));

struct person {
  const char *name;
  int *age;
};

static NOINLINE int age_of(const struct person *p) {
  hop();
  return *p->age;
}
static int by_age(const void *a, const void *b) {
  int x = age_of(a), y = age_of(b);
  return (x > y) - (x < y);
}

int main(void) {
  int ages[12];
  struct person p[12];
  static const char names[] = "abcdefghijkl";
  for (int i = 0; i < 12; i++) {
    ages[i] = i * 7 % 13;
    p[i] = (struct person){names + i, &ages[i]};
  }
  hop();
  qsort(p, 12, sizeof *p, by_age);
  hop();
  for (int i = 0; i < 12; i++)
    printf("%c%d ", *p[i].name, *p[i].age);
  int wanted = 10;
  struct person key = {"?", &wanted}, *found = bsearch(&key, p, 12, sizeof *p, by_age);
  hop();
  printf("%c\n", found ? *found->name : '-');
}
