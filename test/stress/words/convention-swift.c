// Swift's convention passes context and error in registers of their own.
#include "words.h"
typedef struct {
  long x;
} Context;
__attribute__((swiftcall)) static NOINLINE long inner(long n, __attribute__((swift_context)) Context *c) {
  hop();
  return n + c->x;
}
__attribute__((swiftcall)) static NOINLINE long with_error(long *p, __attribute__((swift_context)) Context *c,
                                                           __attribute__((swift_error_result)) void **e) {
  hop();
  *e = p;
  hop();
  return c->x;
}
int main(void) {
  Context c = {5};
  long a = 7;
  void *e = 0;
  printf("%ld\n", inner(3, &c));
  long r = with_error(&a, &c, &e);
  hop();
  printf("%ld %ld\n", r, *(long *)e);
}
