// Computed goto: label addresses in a static table and in locals, live across calls.
#include "hop.h"

static NOINLINE long run(const unsigned char *code, long *memory) {
  static const void *const labels[] = {&&load, &&add, &&store, &&loop, &&end};
  long accumulator = 0, *at = memory, steps = 0;
  const void *then = &&add;
  goto *labels[*code++];
load:
  hop();
  at = memory + *code++;
  accumulator = *at;
  goto *labels[*code++];
add:
  accumulator += *at + *code++;
  hop();
  goto *labels[*code++];
store:
  at = memory + *code++;
  *at = accumulator;
  hop();
  goto *labels[*code++];
loop:
  hop();
  if (steps++ < 5) {
    code -= *code;
    if (steps == 3)
      goto *then;
  } else
    code++;
  goto *labels[*code++];
end:
  hop();
  return accumulator * 10 + steps;
}

int main(void) {
  static const unsigned char code[] = {0, 1, 1, 3, 2, 2, 3, 6, 1, 4, 1, 9, 4};
  long memory[3] = {1, 20, 300};
  printf("%ld", run(code, memory));
  printf(" %ld %ld %ld\n", memory[0], memory[1], memory[2]);
}
