// An object that is found by the low bits of addresses in it, more of them than a page has.
// options: stack_max=8M,stack=1M
#include "words.h"
struct info {
  _Alignas(1 << 17) long magic;
  char room[100000];
};
static NOINLINE struct info *current(void *p) { return (struct info *)((uintptr_t)p & ~(uintptr_t)((1 << 17) - 1)); }
static NOINLINE long deep(char *p) {
  hop();
  long x = current(p)->magic;
  hop();
  return x + current(p)->magic;
}
static NOINLINE long run(void) {
  struct info i;
  i.magic = 5;
  hop();
  return deep(i.room + 5000);
}
int main(void) { printf("%ld\n", run()); }
