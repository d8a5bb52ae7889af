// The low 14 bits of an address of the program, which is moved by pages of 4 KiB between processes.
#include "words.h"

static int global;

static NOINLINE long wrong(int *p) {
  unsigned before = (uintptr_t)p & 0x3fff, low = (uintptr_t)p & 0xfff;
  long result = 0;
  for (int i = 0; i < 4; i++) {
    hop();
    result += (before != ((uintptr_t)p & 0x3fff)) * 10 + (low != ((uintptr_t)p & 0xfff));
  }
  return result;
}

int main(void) {
  int *volatile p = &global;
  printf("%ld\n", wrong(p));
}
