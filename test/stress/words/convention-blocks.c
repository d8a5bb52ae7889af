// flags: -fblocks
// A variable that a block may change, __block, with its forwarding pointer, before anybody copies it.
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
