// The limit of the stack is kept as a number in a global, compared with the address of a frame, and a distance is kept.
// changes: globals
#include "words.h"

static uintptr_t top;
static uint64_t deepest;

static NOINLINE long deep(int depth) {
  char here;
  char *volatile at = &here;
  uint64_t used = top - (uintptr_t)at;
  hop();
  if (used > deepest)
    deepest = used;
  long sum = depth ? deep(depth - 1) : 0;
  hop();
  return sum + (used != top - (uintptr_t)at);
}

int main(void) {
  char here;
  char *volatile at = &here;
  top = (uintptr_t)at + 256;
  hop();
  long wrong = deep(9);
  printf("%ld %d\n", wrong, deepest < 100000);
}
