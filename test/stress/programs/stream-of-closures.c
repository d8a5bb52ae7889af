// Lazy streams whose tails are pairs of function and environment, the environments being locals of live frames.
#include "hop.h"

struct stream;
typedef int next_value(struct stream *s);
struct stream {
  next_value *next;
  struct stream *source, *other;
  int n;
};

static int count(struct stream *s) {
  hop();
  return s->n++;
}
static int filtered(struct stream *s) {
  int v;
  do {
    v = s->source->next(s->source);
    hop();
  } while (v % s->n == 0);
  return v;
}
static int zipped(struct stream *s) {
  int a = s->source->next(s->source);
  hop();
  return a * 10 + s->other->next(s->other);
}

static NOINLINE int take(struct stream *s, int n) {
  int sum = 0;
  while (n--)
    sum = sum * 3 % 1000003 + s->next(s);
  return sum;
}

static NOINLINE int sieve(struct stream *source, int depth) {
  int prime = source->next(source);
  struct stream rest = {filtered, source, NULL, prime};
  hop();
  return depth ? sieve(&rest, depth - 1) : prime;
}

int main(void) {
  struct stream two = {count, NULL, NULL, 2}, zero = {count, NULL, NULL, 0}, both = {zipped, &two, &zero, 0};
  printf("%d\n", take(&both, 20));
  struct stream from = {count, NULL, NULL, 2};
  printf("%d\n", sieve(&from, 11));
}
