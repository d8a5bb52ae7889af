// Interpreters keep the limit of the stack as a number, and compare it with the address of a frame in each call.
#include "words.h"

struct runtime {
  uintptr_t top, limit;
};

static NOINLINE void start(struct runtime *r) {
  r->top = (uintptr_t)__builtin_frame_address(0);
  r->limit = r->top - 200000;
}

static NOINLINE long deep(struct runtime *r, int depth) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  long wrong = here < r->limit || r->top - here > 200000;
  hop();
  return depth ? wrong + deep(r, depth - 1) : wrong;
}

int main(void) {
  struct runtime r;
  start(&r);
  hop();
  long wrong = deep(&r, 9);
  printf("%ld\n", wrong);
}
