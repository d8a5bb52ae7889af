// Structs by value in structs by value, large results of calls as arguments, K&R definitions, a flexible array member.
#include "hop.h"
#include <string.h>

struct inner {
  int *p;
  char text[12];
};
struct middle {
  struct inner a, b;
  long n;
};
struct outer {
  struct middle m[2];
  struct inner *back;
};

static NOINLINE struct inner make(int *p, const char *text) {
  struct inner i = {p, ""};
  hop();
  strcpy(i.text, text);
  return i;
}
static NOINLINE struct middle join(struct inner a, struct inner b) {
  hop();
  struct middle m = {b, a, *a.p + *b.p};
  hop();
  return m;
}
static NOINLINE struct outer wrap(struct middle a, struct inner *back, struct middle b) {
  hop();
  struct outer o = {{b, a}, back};
  hop();
  return o;
}
static NOINLINE int read(struct outer o, struct outer *same) {
  int *p = o.m[1].a.p;
  o.m[0].b = *o.back;
  hop();
  return *p + *o.m[0].b.p * 10 + (o.m[0].b.text[0] + same->m[1].b.text[1]) * 100 + (int)o.m[0].n;
}

int old(p, n, d, i)
int *p;
char n;
float d;
struct inner i;
{
  hop();
  return *p + n + (int)d + *i.p;
}
static int (*indirect)();

static int numbers[3] = {1, 2, 3};
static struct {
  long n;
  int *const words[];
} flexible = {2, {numbers + 1, numbers + 2}};

int main(void) {
  int v[3] = {5, 6, 7};
  struct inner back = make(v + 2, "zebra");
  struct outer o = wrap(join(make(v, "abc"), make(v + 1, "def")), &back, join(make(v + 1, "ghi"), back));
  hop();
  indirect = (int (*)())old;
  printf("%d %d\n", read(o, &o), read(wrap(o.m[0], o.back, o.m[1]), &o));
  printf("%d %d\n", old(v, 'a', 2.5, back), indirect(v + 1, 'b', 3.5, back));
  int sum = 0;
  for (long i = 0; i < flexible.n; i++) {
    int *word = flexible.words[i];
    hop();
    sum = sum * 10 + *word;
  }
  printf("%d\n", sum);
}
