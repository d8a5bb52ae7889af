// va_list everywhere: members, arrays, heap blocks, copies of copies, consumed by functions that move in the middle.
// refused (not heap): heap
#include "hop.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
  int taken;
  va_list list;
  struct cursor *next;
};

struct pair {
  long a;
  int *b;
};
struct big {
  int *p;
  long n[3];
};
typedef int four __attribute__((vector_size(16)));

static NOINLINE int take_int(va_list *list) {
  hop();
  int n = *va_arg(*list, int *);
  hop();
  return n;
}

static NOINLINE int take_many(va_list list, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) {
    hop();
    sum = sum * 3 + *va_arg(list, int *);
  }
  return sum;
}

static NOINLINE int in_struct(int count, ...) {
  struct cursor c = {.taken = 0, .next = NULL}, *p = &c;
  va_start(p->list, count);
  int sum = 0;
  while (p->taken < count) {
    sum = sum * 3 + take_int(&p->list);
    p->taken++;
  }
  va_end(p->list);
  return sum;
}

static NOINLINE int in_array(int count, ...) {
  va_list lists[3];
  va_start(lists[0], count);
  int sum = 0;
  for (int i = 0; i < count; i++) {
    sum = sum * 3 + take_int(&lists[i % 3]);
    va_copy(lists[(i + 1) % 3], lists[i % 3]);
    hop();
    va_end(lists[i % 3]);
  }
  va_end(lists[count % 3]);
  return sum;
}

static NOINLINE int on_heap(int count, ...) {
  struct cursor *c = malloc(sizeof *c);
  va_start(c->list, count);
  int sum = take_many(c->list, count);
  va_end(c->list);
  memset(c, 0, sizeof *c);
  free(c);
  return sum;
}

static NOINLINE int deeper(va_list list, int depth) {
  va_list mine;
  va_copy(mine, list);
  hop();
  int n = *va_arg(mine, int *);
  hop();
  if (depth)
    n = n * 3 + deeper(mine, depth - 1);
  va_end(mine);
  hop();
  return n + *va_arg(list, int *);
}
static NOINLINE int copies(int count, ...) {
  va_list list;
  va_start(list, count);
  int n = deeper(list, count - 1);
  va_end(list);
  return n;
}

static NOINLINE double kinds(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int i = 0; i < count; i++) {
    hop();
    struct pair p = va_arg(list, struct pair);
    hop();
    long double x = va_arg(list, long double);
    __int128 w = va_arg(list, __int128);
    hop();
    struct big b = va_arg(list, struct big);
    four v = va_arg(list, four);
    double d = va_arg(list, double);
    hop();
    sum += p.a + *p.b + (double)x + (double)(w >> 60) + *b.p + b.n[2] + v[1] + v[3] + d;
  }
  va_end(list);
  return sum;
}

static NOINLINE void each(void (*f)(int, ...), int *p, int n) {
  hop();
  f(n, p, p + 1, 1.5, p + 2);
}
static int reported;
static void report(int n, ...) {
  va_list list;
  va_start(list, n);
  hop();
  int *a = va_arg(list, int *), *b = va_arg(list, int *);
  hop();
  double d = va_arg(list, double);
  int *c = va_arg(list, int *);
  hop();
  reported = reported * 2 + *a + *b * 10 + *c * 100 + (int)(d * 2) + n;
  va_end(list);
}

static NOINLINE int two_passes(const char *format, ...) {
  va_list first, second;
  va_start(first, format);
  va_copy(second, first);
  int length = vsnprintf(NULL, 0, format, first);
  va_end(first);
  hop();
  char text[length + 1];
  hop();
  vsnprintf(text, sizeof text, format, second);
  va_end(second);
  hop();
  puts(text);
  return length;
}

int main(void) {
  int v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, n = 9;
  printf("%d\n", in_struct(8, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7));
  printf("%d\n", in_array(8, v + 7, v + 6, v + 5, v + 4, v + 3, v + 2, v + 1, v));
  printf("%d\n", copies(4, v, v + 1, v + 2, v + 3));
  struct pair p = {4, v + 2};
  struct big b = {v + 3, {1, 2, 3}};
  four q = {1, 2, 3, 4};
  __int128 w = (__int128)77 << 64;
  printf("%g\n", kinds(2, p, 2.5L, w, b, q, 0.5, p, 3.5L, w + w, b, q + q, 1.5));
  each(report, v, 3);
  each(report, v + 3, 4);
  printf("%d\n", reported);
  printf("%d\n", two_passes("%s %d %s %c %g", "goose", n, "flies", 'x', 2.5));
  printf("%d\n", on_heap(7, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6));
}
