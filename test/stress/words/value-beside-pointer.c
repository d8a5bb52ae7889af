// A struct of a pointer and a hash of it, returned in registers.
#include "words.h"
struct Both {
  long *p;
  uint64_t h;
};
static NOINLINE uint64_t hash(long *p) { return (uintptr_t)p * 0x9e3779b97f4a7c15ull; }
static NOINLINE struct Both make(long *p) { return (struct Both){p, (uintptr_t)p * 0x9e3779b97f4a7c15ull}; }
static NOINLINE int use(long *p) {
  struct Both b = make(p);
  hop();
  return (int)*b.p * 100 + (hash(b.p) == b.h);
}
int main(void) {
  long a = 5;
  printf("%d\n", use(&a));
}
