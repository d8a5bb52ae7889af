// A function's address in two bit fields of a struct that is copied.
#include "words.h"
struct f {
  uint64_t low : 20, high : 44;
};
static long five(void) { return 5; }
static NOINLINE struct f pack(long (*f)(void)) { return (struct f){(uintptr_t)f, (uintptr_t)f >> 20}; }
static NOINLINE long use(long (*f)(void)) {
  struct f a = pack(f), b[2];
  b[1] = a;
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    sum = sum * 10 + ((long (*)(void))(uintptr_t)((uint64_t)b[1].high << 20 | b[1].low))();
  }
  return sum;
}
int main(void) { printf("%ld\n", use(five)); }
