// void pointers to storage of all sorts, cast back by a tag; containers that know nothing of their elements.
#include "hop.h"

struct any {
  enum { INT, DOUBLE, STRING, ANY } kind;
  void *at;
};

static NOINLINE double value(const struct any *a) {
  hop();
  switch (a->kind) {
  case INT:
    return *(int *)a->at;
  case DOUBLE:
    return *(double *)a->at;
  case STRING:
    return ((char *)a->at)[1];
  default:
    hop();
    return 2 * value(a->at);
  }
}

int main(void) {
  int i = 4;
  double d = 2.5;
  char s[] = "xyz";
  struct any a[5];
  a[0] = (struct any){INT, &i};
  a[1] = (struct any){DOUBLE, &d};
  a[2] = (struct any){STRING, s};
  a[3] = (struct any){ANY, &a[1]};
  a[4] = (struct any){ANY, &a[3]};
  for (int k = 0; k < 5; k++) {
    hop();
    printf("%g\n", value(&a[k]));
  }
}
