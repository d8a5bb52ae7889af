// A return address is kept as a number, plain and hidden, and compared with itself.
#include "words.h"

static NOINLINE long wrong(void) {
  uintptr_t plain = (uintptr_t)__builtin_return_address(0);
  uint64_t hidden = plain ^ key(), scaled = plain * 5;
  long result = 0;
  for (int i = 0; i < 3; i++) {
    hop();
    uintptr_t now = (uintptr_t)__builtin_return_address(0);
    result += (now != plain) + (now != (hidden ^ key())) + (now * 5 != scaled);
  }
  return result;
}

int main(void) {
  long result = wrong();
  hop();
  printf("%ld\n", result);
}
