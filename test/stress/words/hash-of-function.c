// Hashes of addresses of the program, kept over calls: a function, a constant, a global.
#include "words.h"

static int global;
static const char text[] = "text";

static uint64_t mix(const void *p) { return (uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15) >> 40; }

static NOINLINE long wrong(const void *volatile *of, int count) {
  uint64_t kept[4];
  long result = 0;
  for (int i = 0; i < count; i++)
    kept[i] = mix(of[i]);
  for (int times = 0; times < 3; times++) {
    hop();
    for (int i = 0; i < count; i++)
      result += kept[i] != mix(of[i]);
  }
  return result;
}

int main(void) {
  const void *volatile of[] = {(void *)main, text, &global, (void *)wrong};
  printf("%ld\n", wrong(of, 4));
}
