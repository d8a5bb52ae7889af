// flags: -fblocks
// A __block variable, which a block may change, has a forwarding pointer to itself, before the block is copied.
#include "words.h"
void *_NSConcreteStackBlock[32];
void *_NSConcreteGlobalBlock[32];
void _Block_object_dispose(const void *p, int n) {}
void _Block_object_assign(void *d, const void *p, const int n) { *(const void **)d = p; }
static NOINLINE long run(long (^b)(void)) {
  hop();
  long s = b();
  hop();
  return s + b();
}
int main(void) {
  __block long a = 5;
  printf("%ld\n", run(^{
           hop();
           return ++a;
         }));
  printf("%ld\n", a);
}
