// A local array of words used as the memory of a small stack machine: some words are numbers, some are addresses.
// refused: ambiguous
#include "hop.h"

enum { PUSH, ADDRESS, LOAD, ADD, STORE, END };

static NOINLINE long run(const int *code, long *variables) {
  uintptr_t stack[8];
  int top = 0;
  for (;;) {
    hop();
    switch (*code++) {
    case PUSH:
      stack[top++] = (uintptr_t)*code++;
      break;
    case ADDRESS:
      stack[top++] = (uintptr_t)(variables + *code++);
      break;
    case LOAD:
      stack[top - 1] = (uintptr_t)*(long *)stack[top - 1];
      break;
    case ADD:
      top--;
      stack[top - 1] += stack[top];
      break;
    case STORE:
      top -= 2;
      *(long *)stack[top] = (long)stack[top + 1];
      break;
    default:
      return variables[0];
    }
  }
}

int main(void) {
  static const int code[] = {ADDRESS, 0, ADDRESS, 1, LOAD, PUSH, 5, ADD, ADDRESS, 2, LOAD, ADD, STORE, END};
  long variables[3] = {0, 100, 1000};
  printf("%ld\n", run(code, variables));
}
