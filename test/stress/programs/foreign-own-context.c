// Contexts made by makecontext, one on a stack inside a local array, one in the heap: not frames of the thread's stack.
// pinned: returns-twice
// refused: other-stack, foreign, heap, ambiguous, library
#include "hop.h"
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t back, inside;
static int log_[16], count;

static void body(void) {
  int mine = 5, *p = &mine;
  for (int i = 0; i < 3; i++) {
    hop();
    log_[count++] = *p += i;
    swapcontext(&inside, &back);
  }
}

static NOINLINE void drive(char *stack, size_t size) {
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = size;
  inside.uc_link = &back;
  makecontext(&inside, body, 0);
  for (int i = 0; i < 3; i++) {
    hop();
    swapcontext(&back, &inside);
  }
}

int main(void) {
  _Alignas(16) char stack[32768];
  drive(stack, sizeof stack);
  char *heap = malloc(65536);
  drive(heap, 65536);
  for (int i = 0; i < count; i++)
    printf("%d ", log_[i]);
  printf("\n");
}
